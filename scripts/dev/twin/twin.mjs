// Runs the twin and does on it what standard input says: one JSON object a line in, one out.
import readline from 'node:readline'
import { DigitalDiscord } from 'discord-digital-twin'

const twin = new DigitalDiscord({
  guild: { name: 'Lab' },
  channels: [
    { name: 'gpus', type: 0 },
    { name: 'direct', type: 1 },
  ],
  users: [{ username: 'asker' }],
})
await twin.start()
const channels = await twin.prisma.channel.findMany()
const say = (data) => process.stdout.write(JSON.stringify(data) + '\n')
say({
  rest: twin.restUrl,
  gateway: twin.gatewayUrl,
  token: twin.botToken,
  bot: twin.botUserId,
  guild: twin.guildId,
  user: await twin.getFirstNonBotUserId(),
  channels: Object.fromEntries(channels.map((one) => [one.name, one.id])),
})

const response = async (id) => twin.prisma.interactionResponse.findUnique({ where: { interactionId: id } })
const until = async (look, ready) => {
  for (let turn = 0; turn < 500; turn++) {
    const found = await look()
    if (ready(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('nothing came back within 5 s')
}

const actions = {
  async interact(args) {
    const sent = await twin.simulateInteraction(args)
    const row = await until(() => response(sent.id), (one) => one?.acknowledged)
    return { type: row.type, messageId: row.messageId, data: row.data ? JSON.parse(row.data) : null }
  },
  async write({ channelId, userId, content }) {
    const ours = async () => (await twin.channel(channelId).getMessages()).filter((one) => one.author.bot)
    const before = new Set((await ours()).map((one) => one.id))
    await twin.simulateUserMessage({ channelId, userId, content })
    const fresh = () => ours().then((all) => all.filter((one) => !before.has(one.id)))
    return (await until(fresh, (all) => all.length > 0))[0]
  },
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { action, ...args } = JSON.parse(line)
  try {
    say({ ok: await actions[action](args) })
  } catch (error) {
    say({ error: String(error?.message ?? error) })
  }
}
await twin.stop()

using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Simulation.Attack;

/// <summary>
/// OSCORE requests with IDs that nobody has, each from another address: how often the store of contexts is asked, what is kept, and whether
/// devices that are heard for the first time are found all the same.
/// </summary>
internal static class ForgedKids
{
    private const int Known = 100;
    private const int Devices = 12;
    private const double MostHeap = 16;
    private const int Tries = 4;

    private static readonly TimeSpan s_flood = TimeSpan.FromMinutes(1);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("oscore-kids", "Forged IDs of OSCORE: a protected request each that names another context", "8613-8.2-1, 9175-2.4-1", RunAsync),
    ];

    private static ReadOnlySpan<byte> Secret => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

    private static async Task RunAsync(AttackRun run)
    {
        int count = run.Sources(8000);
        int devices = run.Size(Devices, 3);
        Store store = new(devices);
        OscoreContexts contexts = new() { Resolver = store };
        await using AttackServer server = await AttackServer.StartAsync(options =>
        {
            if (run.IsShort)
            {
                options.Limits.Peers.NewcomerMemory = 1 << 20;
            }

            options.UseOscore(contexts);
        });
        KnownPeers known = new(server, run.Size(Known, 10));
        AttackWire.Sink others = server.Wire.Sent!;
        Device? listening = null;
        server.Wire.Sent = (in CoapAddress to, ReadOnlySpan<byte> bytes) =>
        {
            if (listening?.Address == to)
            {
                listening.Take(bytes);
                return;
            }

            others(in to, bytes);
        };
        Dice dice = new(run.Seed);
        byte[] forged = Request();
        int kidAt = KidAt(forged);
        long idle = LiveHeap.Measure();
        long most = 0;
        int answered = 0;
        int challenged = 0;
        const int batch = 100;
        TimeSpan pause = s_flood / (count / batch);
        TimeSpan begin = server.Clock.Elapsed;
        for (int i = 0; i < count; i++)
        {
            ulong chance = dice.Next();
            Forged.Stamp(forged, (int)(chance >> 16) & 0xffff, (uint)(chance >> 32));
            BinaryPrimitives.WriteUInt32BigEndian(forged.AsSpan(kidAt), (uint)i);
            server.Wire.Receive(CoapAddress.FromIPv4(0x0a00_0000 + (uint)i, (ushort)(1024 + (chance & 0x7fff))), forged);
            if (i % batch == batch - 1)
            {
                server.Clock.Advance(pause);
            }

            if (i % (count / devices) == (count / devices) - 1)
            {
                Device device = listening = new Device(i / (count / devices));
                answered += device.Ask(server) ? 1 : 0;
                challenged += device.Challenges;
                most = Math.Max(most, LiveHeap.Measure() - idle);
                known.Step();
            }
        }

        double seconds = (server.Clock.Elapsed - begin).TotalSeconds;
        run.Done =
            $"{count:N0} addresses in a minute, each with an ID of its own; meanwhile {devices} devices are heard for the first time";
        run.AtMost("lookups in the store of contexts", store.Asked,
            contexts.Limits.UnverifiedLookupBurst + Math.Ceiling(contexts.Limits.UnverifiedLookupsPerSecond * seconds) + devices + 1);
        run.Exactly("contexts beside those of the devices", contexts.Count - devices, 0);
        run.AtMost("heap above idle, at most", most / LiveHeap.MiB, MostHeap, " MiB");
        run.Exactly("devices whose first request was not answered", devices - answered, 0);
        run.Mention($"devices that were asked to show their addresses {challenged}");
        known.Check(run);
        run.Exactly("errors of stages", server.Counters[CoapCounter.StageErrors], 0);
    }

    private static byte[] Request() => Forged.Message(
        CoapCode.Post, "", options: options => options.Add(OptionNumber.Oscore, [0x09, 0x00, 0, 0, 0, 0]), payload: new byte[16]);

    // Behind header, token, head of the option, flags and Partial IV; of a message whose other bytes are zero.
    private static int KidAt(byte[] message) => message.AsSpan().IndexOf((byte)0x96) + 3;

    private static OscoreParameters Parameters(int device, bool isServer)
    {
        byte[] kid = [0xd0, (byte)device];
        return new OscoreParameters([.. Secret, (byte)device], isServer ? [] : kid, isServer ? kid : []);
    }

    // A device that the store knows and the server does not yet.
    private sealed class Device
    {
        private readonly OscoreContext _context;
        private readonly int _number;
        private CoapMessage? _answer;

        public Device(int number)
        {
            _number = number;
            using OscoreParameters parameters = Parameters(number, isServer: false);
            _context = OscoreContext.CreateVolatile(parameters);
        }

        public CoapAddress Address => CoapAddress.FromIPv4(0xc0a8_0000 + (uint)_number, 5683);

        public int Challenges { get; private set; }

        public void Take(ReadOnlySpan<byte> bytes)
        {
            CoapMessage message = CoapDatagramSerializer.Default.Deserialize(bytes.ToArray());
            _answer = message.Code.IsEmpty ? _answer : message;
        }

        /// <summary>Asks, again when it must, and says whether the answer verifies.</summary>
        public bool Ask(AttackServer server)
        {
            OscoreRequestId id = new(_context.Parameters.SenderKid, 0);
            CoapMessage plain = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, Token = new CoapToken([1, 2, 3, 4]) };
            plain.Options.Add(new UriPathOption("hello"));
            CoapMessage message = OscoreMessageCipher.ProtectRequest(_context, plain, id, kidContext: false);
            for (int i = 0; i < Tries; i++)
            {
                _answer = null;
                message.MessageId = (ushort)i;
                server.Wire.Receive(Address, CoapDatagramSerializer.Default.Serialize(message));
                if (_answer is null)
                {
                    server.Clock.Advance(TimeSpan.FromMilliseconds(100));
                }
                else if (!_answer.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> bytes))
                {
                    Challenges++;
                    message.Options.Remove(OptionNumber.Echo);
                    message.Options.Add(
                        OptionNumber.Echo, _answer.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> echo) ? echo : []);
                }
                else
                {
                    return OscoreOptionValue.TryRead(bytes, out OscoreOptionValue value)
                        && OscoreMessageCipher.UnprotectResponse(
                            _context, _answer, in value, id, out CoapMessage? response) == OscoreFault.None
                        && response!.Code == CoapCode.Content;
                }
            }

            return false;
        }
    }

    private sealed class Store(int devices) : IOscoreContextResolver
    {
        public int Asked { get; private set; }

        public ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
        {
            Asked++;
            if (kid.Span is not [0xd0, byte device] || device >= devices)
            {
                return default;
            }

            using OscoreParameters parameters = Parameters(device, isServer: true);
            return new ValueTask<OscoreContext?>(OscoreContext.CreateVolatile(parameters));
        }
    }
}

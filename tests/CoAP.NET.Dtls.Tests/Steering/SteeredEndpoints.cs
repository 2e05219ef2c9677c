namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>Several servers over sockets that share 256 slots, a balancer that sprays in front of them, and clients.</summary>
internal sealed class SteeredEndpoints : IAsyncDisposable
{
    // However slow the machine is, nobody gives up.
    private static readonly CoapTransmissionParameters s_patient =
        CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromMilliseconds(100), MaxRetransmit = 14 };

    private readonly List<SecureEndpoints> _servers = [];

    public LinkedSlots Slots { get; private init; } = null!;

    public SprayingBalancer Balancer { get; private set; } = null!;

    public SecureEndpoints this[int number] => _servers[number - 1];

    public IReadOnlyList<SecureEndpoints> All => _servers;

    public static async Task<SteeredEndpoints> StartAsync(int count, CoapSocketEngine engine, Action<CoapServer, int> map)
    {
        SteeredEndpoints made = new() { Slots = new LinkedSlots(count) };
        for (int i = 1; i <= count; i++)
        {
            int number = i;
            LinkedSteering steering = made.Slots[number];
            SecureEndpoints server = new(
                options =>
                {
                    options.Steering = steering;
                    options.SessionBackup = steering.Backup.Options();
                },
                // One of them answers by separate responses.
                options => options.Parameters = s_patient with { PiggybackWindow = number == 2 ? TimeSpan.Zero : TimeSpan.FromMinutes(1) },
                engine: engine);
            map(server.Server, number);
            made._servers.Add(await server.StartAsync());
        }

        made.Balancer = new SprayingBalancer([.. made._servers.Select(static server => server.Endpoint)]);
        return made;
    }

    /// <summary>A client that holds on to its session whatever is lost.</summary>
    public CoapClient Client() =>
        _servers[0].Client(silence: TimeSpan.FromHours(1), endpoint: static options => options.Parameters = s_patient);

    /// <summary>How many handshakes there were.</summary>
    public int Handshakes => _servers.Sum(static server => (int)server.Transport.Engine!.Server!.Counters.HandshakesCompleted);

    public async ValueTask DisposeAsync()
    {
        foreach (SecureEndpoints server in _servers.AsEnumerable().Reverse())
        {
            await server.DisposeAsync();
        }

        await Balancer.DisposeAsync();
    }
}

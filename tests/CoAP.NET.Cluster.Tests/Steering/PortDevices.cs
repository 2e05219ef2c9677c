using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Devices that ask who answers, each in a session of its own.</summary>
/// <param name="hosts">Whom they ask: the first device the first one, and so on in turn.</param>
internal sealed class PortDevices(string[] hosts) : IAsyncDisposable
{
    private const int Least = 8;
    private readonly List<CoapClient> _devices = [];

    /// <summary>A guard against hanging.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromMinutes(4);

    public int Count => _devices.Count;

    /// <summary>Makes sessions until each host has some with each node: by chance a kernel spreads them unevenly.</summary>
    /// <param name="names">The names of the nodes.</param>
    public async Task UntilEachOfAsync(string[] names)
    {
        HashSet<(int Host, string Name)> seen = [];
        while (_devices.Count < Least || names.Any(name => Enumerable.Range(0, hosts.Length).Any(host => !seen.Contains((host, name)))))
        {
            int number = _devices.Count;
            _devices.Add(new CoapClient(new CoapEndpointOptions
            {
                Parameters = CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromMilliseconds(200), MaxRetransmit = 11 },
            }.UseDtls(new CoapDtlsOptions
            {
                Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(PortNodeProcess.DeviceName(number), PortNode.Key) },
                // A handshake means that a session was lost, however slow the machine is.
                SilenceToProbe = TimeSpan.FromMinutes(10),
                HandshakeTimeout = TimeSpan.FromMinutes(3),
            })));
            seen.Add((number % hosts.Length, await AskAsync(number)));
        }
    }

    /// <summary>All ask at once.</summary>
    /// <returns>Who answered each.</returns>
    public Task<string[]> AskAsync() => Task.WhenAll(Enumerable.Range(0, _devices.Count).Select(AskAsync));

    public void AssertNobodyShookHandsAgain() =>
        Assert.All(_devices, static device => Assert.Equal(1, device.Endpoint.Counters[CoapCounter.ConnectionsOpened]));

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient device in _devices)
        {
            await device.DisposeAsync();
        }
    }

    private async Task<string> AskAsync(int number)
    {
        CoapRequest request = new(CoapMethod.Get, $"{hosts[number % hosts.Length]}/who") { Timeout = Patience };
        string[] words = (await _devices[number].SendAsync(request)).GetText().Split(' ');
        Assert.Equal(PortNodeProcess.DeviceName(number), words[0]);
        return words[1];
    }
}

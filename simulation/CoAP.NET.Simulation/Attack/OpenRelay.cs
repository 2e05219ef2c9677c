using CoAP.NET.Proxy;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Attack;

/// <summary>
/// Somebody who wants a forward proxy to ask hosts that it is not meant to ask. He writes addresses in every way, and owns the names of a
/// domain that the proxy is allowed to ask.
/// </summary>
internal sealed class OpenRelay : IAsyncDisposable
{
    private const int ShortPlantedHosts = 20;
    private const string Named = "allowed.example";
    private const string Owned = "sensors.example";
    private const string OriginNetwork = "2001:db8:1::/48";

    // The one public address that a name which is allowed stands for, and one that only names which are not allowed stand for.
    private static readonly IPAddress s_public = IPAddress.Parse("2001:4860::1");
    private static readonly IPAddress s_foreign = IPAddress.Parse("2001:4860::66");

    private static readonly string[] s_schemes = ["coap", "coap+tcp", "coaps+tcp"];

    // Those for which the proxy has a transport of its own, or none at all.
    private static readonly string[] s_others =
        ["coaps", "coap+ws", "coaps+ws", "http", "https", "ftp", "file", "gopher", "coap+sms", "COAP+WS", "coap+tcp+ws"];

    /// <summary>One address of each kind that is not public, and each with an IPv4 address inside in every way to carry one.</summary>
    private static readonly string[] s_inside =
    [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "198.18.0.1", "192.0.0.8", "224.0.1.187", "239.255.255.250", "240.0.0.1", "255.255.255.255",
        "::", "::1", "fe80::1", "fd00::5", "fc00::1", "fec0::1", "ff02::fd", "ff05::fd", "64:ff9b:1::7f00:1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:224.0.1.187", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::c0a8:101",
        "2002:7f00:1::", "2002:a00:1::1", "2002:e000:1bb::1",

        // Teredo writes the address of the client with all bits inverted, beside that of its server; then ISATAP and SIIT.
        "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:0:4136:e378:8000:63bf:f5ff:fffe", "2001:0:7f00:1::1",
        "2001:4860::5efe:7f00:1", "2001:4860::200:5efe:a00:1", "::ffff:0:127.0.0.1", "::ffff:0:a00:1",
    ];

    /// <summary>Hosts in odd spellings: resolvers of operating systems read many of them as addresses.</summary>
    private static readonly string[] s_spellings =
    [
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0177.0.0.01", "127.0.0.1.", "127.0.0.1..",
        "0", "0.", "0x0", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "127.0.0.1%00", "127.0.0.1%00.allowed.example",
        "127.0.0.1%2f.allowed.example",
        "\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "\u2460\u2461\u2466.0.0.1",
        "localhost", "LOCALHOST", "localhost.", "localhost.localdomain", "ip6-localhost",
        "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::1%25lo]", "[::ffff:7f00:1]", "[::ffff:0:127.0.0.1]", "[::7f00:1]", "[fe80::1%25eth0]",
        "[fe80::1%eth0]", "::1", "[::1", "::1]", "[[::1]]", "[v1.127.0.0.1]",
        "allowed.example@127.0.0.1", "allowed.example@[::1]", "allowed.example%40127.0.0.1", "allowed.example:5683@[::1]",
        "user:password@allowed.example@127.0.0.1", "127.0.0.1\\@allowed.example", "127.0.0.1#.allowed.example",
        "127.0.0.1?.allowed.example",
        "127.0.0.1/.allowed.example", "allowed.example.evil.example", "evilallowed.example", "evil-allowed.example", "allowed.example..",
        "evilsensors.example", "sensors.example", ".sensors.example", "*.sensors.example", "*", "allowed.example%2eevil.example",
        "allowed.example%00.evil.example", "allowed.example ", " allowed.example", "allowed.example\t", "other.example", "",
        "[2001:db8::1]:9999", "[2001:db8::1]:22", "[2001:4860::66]",
    ];

    private readonly ConcurrentDictionary<string, int> _resolved = [];
    private readonly ConcurrentQueue<(string Target, IPAddress To)> _sent = [];
    private readonly ProxyWorld _world;
    private string _asked = "";

    private OpenRelay(bool isOpen)
    {
        _world = new ProxyWorld(options =>
        {
            options.Targets.AllowHost(Named).AllowHost($"*.{Owned}");
            options.AllowSecuredTargetsToAnyone = true;
            options.Limits.CacheBytes = 0;
            options.Timeout = TimeSpan.FromSeconds(1);
            Action<CoapEndpointOptions> configure = options.ConfigureClient!;
            options.ConfigureClient = endpoint =>
            {
                configure(endpoint);
                endpoint.Transports.ResolveHost = ResolveAsync;
            };
            if (isOpen)
            {
                options.Targets.AllowHost("*").AllowNetwork("::/0").AllowNetwork("0.0.0.0/0");
            }
        });
    }

    public static async Task RunAsync(AttackRun run)
    {
        await using OpenRelay relay = new(run.IsPlanted("no-target-check"));
        await relay.StartAsync();
        await relay.AttackAsync(run);
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private async Task StartAsync()
    {
        _world.ProxyServer.MapForwardProxy(_world.Proxy);
        _world.Answer(_ => CoapResults.Text("here"));
        foreach (bool isSecure in new[] { false, true })
        {
            _world.Proxy.Client.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions
            {
                IsSecure = isSecure,
                Connect = (remote, _) =>
                {
                    _sent.Enqueue((_asked, remote.ToIPAddress()));
                    throw new CoapConnectionException(CoapError.ConnectFailed, "Nobody listens there.");
                },
            }));
        }

        // What leaves by the proxy's client: its server is at 5683.
        IPAddress proxy = IPAddress.Parse("2001:db8::1");
        _world.Network.Filter = packet =>
        {
            if (packet.From.Port != 5683 && packet.From.ToIPAddress().Equals(proxy))
            {
                _sent.Enqueue((_asked, packet.To.ToIPAddress()));
            }

            return NetworkVerdict.Pass;
        };
        CoapServer allowed = _world.MakeServer($"[{s_public}]:5683");
        allowed.MapGet("/{*path}", () => "here");
        await allowed.StartAsync();
        await _world.StartAsync();
        await _world.VerifyAsync();
    }

    private async Task AttackAsync(AttackRun run)
    {
        int asked = 0;
        int refused = 0;
        int unmade = 0;
        int others = 0;
        string[] hosts =
        [
            .. s_inside.Select(address => address.Contains(':') ? $"[{address}]" : address),
            .. s_spellings,
            .. s_inside.Select((_, at) => $"inside-{at}.{Owned}"),
            .. s_inside.Select((_, at) => $"mixed-{at}.{Owned}"),
        ];

        // Who asks everybody waits for many who are not there; the short form has seen enough of that soon.
        if (run.IsShort && run.IsPlanted("no-target-check"))
        {
            hosts = hosts[..ShortPlantedHosts];
        }

        foreach (string scheme in run.IsShort ? s_schemes[..1] : s_schemes)
        {
            foreach (string host in hosts)
            {
                foreach (CoapRequest request in new[] { ByUri($"{scheme}://{host}/x"), ByScheme(scheme, host) })
                {
                    asked++;
                    (bool isMade, bool isRefused) = await AskAsync(host, request);
                    unmade += isMade ? 0 : 1;
                    refused += isRefused ? 1 : 0;
                }
            }
        }

        // The name is allowed, its first address too, and every second answer of its name server is this machine.
        // Literal addresses only: what is allowed would be asked over sockets.
        foreach (string scheme in run.IsPlanted("no-target-check") ? [] : s_others)
        {
            foreach (string host in hosts[..s_inside.Length])
            {
                foreach (CoapRequest request in new[] { ByUri($"{scheme}://{host}/x"), ByScheme(scheme, host) })
                {
                    asked++;
                    (bool isMade, bool isRefused) = await AskAsync(host, request);
                    unmade += isMade ? 0 : 1;
                    refused += isRefused ? 1 : 0;
                    others += isMade && !isRefused ? 1 : 0;
                }
            }
        }

        int rounds = run.Size(200, 20);
        for (int i = 0; i < rounds; i++)
        {
            await AskAsync("rebind", ByUri($"coap://rebind-{i % 4}.{Owned}/{i}"));
            await AskAsync("rebind", ByUri($"coap+tcp://rebind-{i % 4}.{Owned}/{i}"));
        }

        _asked = "allowed";
        CoapResponse named = await _world.SendAsync(ByUri($"{ProxyWorld.OriginUri}/x"));
        CoapResponse byName = await _world.SendAsync(ByUri($"coap://{Named}/x"));
        Report(run, rounds, asked, unmade, refused);
        run.Exactly("of those by other schemes not refused", others, 0);
        run.Holds("a target that is allowed is asked, by its address and by its name",
            named.IsSuccess && byName.IsSuccess && _sent.Any(one => one.Target == "allowed" && one.To.Equals(s_public)));
    }

    private void Report(AttackRun run, int rounds, int asked, int unmade, int refused)
    {
        IPNetwork origins = IPNetwork.Parse(OriginNetwork);
        (string Target, IPAddress To)[] wrong = [.. _sent.Where(one => !one.To.Equals(s_public) && !origins.Contains(one.To))];
        foreach (string text in wrong.Select(one => $"'{one.Target}' had {one.To} asked").Distinct())
        {
            run.Report(text);
        }

        run.Done = $"{asked:N0} requests by Proxy-Uri and Proxy-Scheme with {s_schemes.Length + s_others.Length} schemes: "
            + $"{s_inside.Length} addresses that are not public, literally, behind a name that is allowed and beside a public address "
            + $"of it; {s_spellings.Length} odd spellings; {2 * rounds:N0} to names that stand for another address each time they are "
            + $"resolved";
        run.Exactly("datagrams and connections to addresses that are not allowed", wrong.Length, 0);
        run.AtLeast("of these requests refused by the proxy", refused, (asked - unmade) / 2);
        run.Mention($"requests that CoAP cannot express {unmade}");
        run.AtLeast("times that a name stood for another address", _resolved.GetValueOrDefault("rebind"), rounds);
        run.Exactly("requests still under way", _world.Proxy.GetCounters().InProgress, 0);
    }

    private async Task<(bool IsMade, bool IsRefused)> AskAsync(string host, CoapRequest request)
    {
        _asked = host;
        try
        {
            CoapResponse response = await _world.SendAsync(request);
            return (true, response.Code.Class is 4 or 5 && response.Code != CoapCode.GatewayTimeout);
        }
        catch (Exception exception) when (exception is CoapException or ArgumentException)
        {
            return (false, false);
        }
    }

    private static CoapRequest ByUri(string target)
    {
        CoapRequest request = new(CoapMethod.Get, ProxyWorld.ProxyUri);
        request.Options.Add(OptionNumber.ProxyUri, Encoding.UTF8.GetBytes(target));
        return request;
    }

    private static CoapRequest ByScheme(string scheme, string host)
    {
        CoapRequest request = new(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/x");
        request.Options.Add(new ProxySchemeOption(scheme));
        request.Options.Remove(OptionNumber.UriHost);
        request.Options.Add(OptionNumber.UriHost, Encoding.UTF8.GetBytes(host));
        return request;
    }

    // The worst resolver for a proxy: it reads every spelling as an address, and names that it does not know are this machine.
    private Task<IPAddress[]> ResolveAsync(string name, CancellationToken cancellationToken)
    {
        string plain = name.TrimEnd('.').ToLowerInvariant();
        int times = _resolved.AddOrUpdate(plain.Split('-')[0], 1, (_, count) => count + 1);
        IPAddress[] addresses = plain == Named ? [s_public]
            : Numbered(plain, "inside-") is { } inside ? [inside]
            : Numbered(plain, "mixed-") is { } mixed ? [mixed, s_public, mixed]
            : plain.StartsWith("rebind-", StringComparison.Ordinal) ? [times % 2 == 1 ? s_public : IPAddress.Loopback]
            : plain.EndsWith($".{Owned}", StringComparison.Ordinal) ? [s_public]
            : plain.EndsWith(".example", StringComparison.Ordinal) ? [s_foreign]
            : IPAddress.TryParse(plain, out IPAddress? address) ? [address]
            : [IPAddress.Loopback, IPAddress.IPv6Loopback];
        return name.Contains('\0')
            ? Task.FromException<IPAddress[]>(new SocketException((int)SocketError.HostNotFound))
            : Task.FromResult(addresses);
    }

    private static IPAddress? Numbered(string name, string prefix) =>
        name.StartsWith(prefix, StringComparison.Ordinal) && name.EndsWith(Owned, StringComparison.Ordinal)
            ? IPAddress.Parse(s_inside[int.Parse(name[prefix.Length..^(Owned.Length + 1)])])
            : null;
}

using CoAP.NET.PubSub;
using CoAP.NET.Speed.Floor;
using CoAP.NET.Speed.Report;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

/// <summary>All rows.</summary>
/// <param name="servers">The servers.</param>
/// <param name="most">Not more peers than this in any row.</param>
/// <param name="hasOwnSockets">Whether each peer of requests over UDP has a socket of its own.</param>
/// <param name="scaling">The rows of several shards.</param>
internal sealed class RowList(CoapServers servers, int most, bool hasOwnSockets, ScalingRows scaling)
{
    private const string LibCoapProxy = "libcoap's proxy";

    // The one by itself keeps every message for 247 s; this one keeps some of each peer, as ours does.
    private const string BoundedDeduplicator = "PEERS_MARK_AND_SWEEP";

    // Addresses of the one process that answers.
    private const int Servers = 250;
    public const string Hello = "hello";
    public const string HelloText = Frames.Hello;

    private static readonly byte[] s_hello = Encoding.ASCII.GetBytes(HelloText);

    /// <summary>
    /// Those whose names, or the beginnings of whose names up to a dash, are wanted; all when nothing is. What comes out alike, as
    /// <c>most</c> is small, is there once.
    /// </summary>
    /// <exception cref="ArgumentException">There is none of a name.</exception>
    public IReadOnlyList<Row> Choose(string[] names)
    {
        foreach (string name in names)
        {
            if (!All().Any(row => IsMeant(row, name)))
            {
                throw new ArgumentException($"'{name}' is not a row: {string.Join(", ", All().Select(row => row.Name))}.");
            }
        }

        return
        [
            .. All().Where(row => names.Length == 0 || names.Any(name => IsMeant(row, name))).DistinctBy(row => (row.Group, row.Title)),
        ];
    }

    private static bool IsMeant(Row row, string name) => row.Name == name || row.Name.StartsWith(name + "-", StringComparison.Ordinal);

    private static string Text(int number) => number.ToString("N0");

    private IEnumerable<Row> All()
    {
        foreach (int peers in (int[])[1, 16, 128, 1024, 10_000])
        {
            yield return Udp($"udp-{peers}", Few(peers));
        }

        foreach (int peers in (int[])[16, 128])
        {
            yield return new($"portable-{peers}", $"UDP by the portable engine, {Text(Few(peers))} endpoints", RowGroup.Requests,
                ForDatagrams(Few(peers), 0, servers.StartPortable));
        }

        yield return scaling.OverUdp(Few(1024), hasOwnSockets);
        yield return scaling.OverTcp(Few(128));

        yield return Open("open-20000", Few(256), most < 256 ? 2_000 : 20_000);
        foreach (int connections in (int[])[16, 128, 1024])
        {
            yield return Tcp($"tcp-{connections}", Few(connections), 1);
        }

        yield return Tcp("tcp-16x16", Few(16), 16);
        foreach (int observers in (int[])[100, 1_000, 10_000])
        {
            yield return Observe($"observe-{observers}", Few(observers), isNonConfirmable: false);
        }

        yield return Observe("observe-non-100", Few(100), isNonConfirmable: true);
        yield return Subscribe("pubsub-10000", Few(10_000));
        yield return new("observe-portable-100", $"{Text(Few(100))} observers, Confirmable, portable engine", RowGroup.Notifications,
            [Observed(servers.StartPortable, Few(100), false)]);
        yield return FanIn("fan-in-100000", Few(100_000));
        yield return Client("client-128", Few(128));
        foreach (int clients in (int[])[200, 1_000])
        {
            yield return Http($"http-{clients}", Few(clients));
        }

        foreach (int sessions in (int[])[16, 128])
        {
            yield return Secure($"coaps-{sessions}", Few(sessions));
        }

        yield return Handshakes("handshakes-16", Few(16));
        yield return Strangers("strangers-16", Few(16));
        foreach (int connections in (int[])[16, 128, 1024])
        {
            yield return Tls($"tls-{connections}", Few(connections));
        }

        foreach (int clients in (int[])[16, 128])
        {
            yield return Protected($"oscore-{clients}", Few(clients));
        }

        foreach (int endpoints in (int[])[16, 1024])
        {
            yield return Watched($"dashboard-{endpoints}", Few(endpoints));
        }

        foreach (int endpoints in (int[])[16, 128])
        {
            yield return Proxied($"proxy-{endpoints}", Few(endpoints), isCached: false);
            yield return Proxied($"proxy-cached-{endpoints}", Few(endpoints), isCached: true);
        }

        yield return HttpProxied("proxy-http-128", Few(128));
    }

    private int Few(int count) => Math.Min(count, most);

    private Row Udp(string name, int peers) =>
        new(name, $"UDP, {Text(peers)} {(peers == 1 ? "endpoint" : "endpoints")}", RowGroup.Requests, ForDatagrams(peers, 0));

    private Row Open(string name, int peers, int rate) =>
        new(name, $"UDP, {Text(rate)} requests a second offered by {Text(peers)} endpoints", RowGroup.Requests, ForDatagrams(peers, rate));

    private Row Tcp(string name, int connections, int depth) =>
        new(name, $"TCP, {Text(connections)} connections{(depth > 1 ? $", {depth} requests under way on each" : "")}", RowGroup.Requests,
            ForStreams(connections, depth));

    private List<Entrant> ForDatagrams(int peers, int rate, Func<Child>? start = null)
    {
        List<Entrant> entrants =
        [
            new(Role.Floor, "floor", () => Datagrams(StartFloor(), peers, rate)),
            new(Role.Ours, "CoAP.NET", () => Datagrams((start ?? servers.StartOurs)(), peers, rate)),
        ];
        if (servers.HasLibCoap)
        {
            entrants.Add(new(Role.LibCoap, "libcoap", () =>
            {
                (Child child, IPEndPoint endpoint) = servers.StartLibCoap();
                return Datagrams(child, peers, rate, endpoint);
            }));
        }

        if (servers.HasCalifornium)
        {
            entrants.Add(new(Role.Californium, "Californium", () => Datagrams(servers.StartCalifornium(), peers, rate)));
            entrants.Add(new(Role.Californium, $"Californium, {BoundedDeduplicator}",
                () => Datagrams(servers.StartCalifornium(BoundedDeduplicator), peers, rate)));
        }

        return entrants;
    }

    private Row Watched(string name, int endpoints) =>
        new(name, $"{Text(endpoints)} endpoints", RowGroup.Watched,
        [
            new(Role.Beside, "CoAP.NET" + MarkdownReport.Unwatched, () => Datagrams(StartDashboard(), endpoints, 0)),
            new(Role.Beside, "dashboard open in one page", () =>
            {
                Child child = StartDashboard();
                DatagramLoop loop = new(child.Endpoints[0], endpoints, Hello, s_hello, hasOwnSockets: hasOwnSockets);
                return new(
                    seconds => loop.Run(seconds, () => child.Cpu).Figures, new DashboardViewer(child.Endpoints[1]), loop, child);
            }),
        ]);

    private static Child StartDashboard() => Child.StartSelf(Processors.Measured, 2, DashboardProgram.Verb);

    private Contender Datagrams(Child child, int peers, int rate, IPEndPoint? endpoint = null)
    {
        DatagramLoop loop = new(endpoint ?? child.Endpoints[0], peers, Hello, s_hello, hasOwnSockets: hasOwnSockets);
        return new(seconds => loop.Run(seconds, () => child.Cpu, rate).Figures, loop, child);
    }

    private List<Entrant> ForStreams(int connections, int depth)
    {
        List<Entrant> entrants =
        [
            new(Role.Floor, "floor",
                () => StartFloor("--tcp") is var child ? Streams(child, child.Endpoints[0], Coap(), connections, depth) : null!),
            new(Role.Ours, "CoAP.NET",
                () => servers.StartOurs() is var child ? Streams(child, child.Endpoints[1], Coap(), connections, depth) : null!),
        ];
        if (servers.HasLibCoap)
        {
            entrants.Add(new(Role.LibCoap, "libcoap", () =>
            {
                (Child child, IPEndPoint endpoint) = servers.StartLibCoap();
                return Streams(child, endpoint, Coap(), connections, depth);
            }));
        }

        return entrants;
    }

    private static CoapStreamProtocol Coap() => new(Hello, HelloText);

    private static Contender Streams(Child child, IPEndPoint endpoint, StreamProtocol protocol, int connections, int depth = 1,
        bool isShort = false, bool isSecure = false)
    {
        try
        {
            StreamLoop loop = new(endpoint, protocol, connections, depth, isShort, isSecure);
            return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
        }
        catch
        {
            child.Dispose();
            throw;
        }
    }

    private Row Observe(string name, int observers, bool isNonConfirmable)
    {
        List<Entrant> entrants = [Observed(servers.StartOurs, observers, isNonConfirmable)];
        if (servers.HasLibCoap)
        {
            entrants.Add(new(Role.LibCoap, "libcoap", () =>
            {
                (Child child, IPEndPoint endpoint) = servers.StartLibCoap(isNonConfirmable);
                return Observers(child, endpoint, observers, "state");
            }));
        }

        if (servers.HasCalifornium && !isNonConfirmable)
        {
            entrants.Add(new(Role.Californium, "Californium",
                () => servers.StartCalifornium() is var child ? Observers(child, child.Endpoints[0], observers, "state") : null!));
        }

        return new(name, $"{Text(observers)} observers, {(isNonConfirmable ? "Non-confirmable" : "Confirmable")}", RowGroup.Notifications,
            entrants);
    }

    private static Entrant Observed(Func<Child> start, int observers, bool isNonConfirmable) => new(Role.Ours, "CoAP.NET", () =>
    {
        Child child = start();
        return Observers(child, child.Endpoints[0], observers, isNonConfirmable ? "obs-load-non" : "obs-load",
            isNonConfirmable ? "obs-load" : null);
    });

    private static Contender Observers(Child child, IPEndPoint endpoint, int observers, string path, string? firstPath = null)
    {
        ObserveLoop loop = new(endpoint, observers, path, firstPath);
        return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
    }

    private Row Client(string name, int servers)
    {
        string count = servers.ToString();
        return new(name, $"one client, {Text(servers)} servers", RowGroup.Client,
        [
            new(Role.Floor, "raw loop", () =>
            {
                Child floor = Child.StartSelf(Processors.Other, 1, FloorServer.Verb, "--any");
                DatagramLoop loop = new(new IPEndPoint(IPAddress.Loopback, floor.Endpoints[0].Port), servers, Hello, s_hello,
                    hasOwnSockets: hasOwnSockets);
                return new(seconds => OnMeasured(() => loop.Run(seconds, () => Environment.CpuUsage.TotalTime).Figures), loop, floor);
            }),
            new(Role.Ours, "CoapClient", () =>
            {
                Child floor = Child.StartSelf(Processors.Other, 1, FloorServer.Verb, "--any");
                Child client = Child.StartSelf(
                    Processors.Measured, 0, ClientProgram.Verb, "--count", count, "--port",
                    floor.Endpoints[0].Port.ToString());
                return new(seconds => Parse(client.Ask(seconds.ToString())), client, floor);
            }),
        ]);
    }

    private static Row FanIn(string name, int observations)
    {
        string count = observations.ToString();
        return new(name, $"one client that observes {Text(observations)} resources", RowGroup.Notifications,
        [
            new(Role.Ours, "CoapClient", () =>
            {
                Child notifier = Child.StartSelf(Processors.Other, 1, NotifierServer.Verb, "--count", count);
                Child client = Child.StartSelf(
                    Processors.Measured, 0, FanInProgram.Verb, "--count", count, "--port",
                    notifier.Endpoints[0].Port.ToString());
                return new(seconds => Parse(client.Ask(seconds.ToString())), client, notifier);
            }),
        ]);
    }

    // The raw loop is what is measured here.
    private static RunFigures OnMeasured(Func<RunFigures> run)
    {
        byte[] before = Processors.Pin(Processors.Measured);
        try
        {
            return run();
        }
        finally
        {
            Processors.Restore(before);
        }
    }

    private static RunFigures Parse(string line)
    {
        double[] all = [.. line.Split(' ').Select(one => double.Parse(one))];
        return new(all[0], all[1], all[2], all[3], (long)all[4], (long)all[5]);
    }

    private Row Http(string name, int clients)
    {
        Entrant Ours(string title, Func<Child, Contender> open) => new(Role.Beside, title, () => open(servers.StartOurs()));
        Entrant Kestrel(string title, bool isShort) => new(Role.Beside, title, () =>
        {
            Child child = Child.StartSelf(Processors.Measured, 1, HttpServer.Verb);
            return Streams(child, child.Endpoints[0], new HttpStreamProtocol(["/" + Hello], HelloText, isShort), clients, isShort: isShort);
        });
        return new(name, $"{Text(clients)} clients", RowGroup.Http,
        [
            Kestrel("HTTP, connections stay", isShort: false),
            Ours("CoAP over UDP", child => Datagrams(child, clients, 0)),
            Ours("CoAP over TCP, connections stay", child => Streams(child, child.Endpoints[1], Coap(), clients)),
            Kestrel("HTTP, a connection for each request", isShort: true),
            Ours("CoAP over TCP, a connection for each request",
                child => Streams(child, child.Endpoints[1], Coap(), clients, isShort: true)),
        ]);
    }

    private static Child StartFloor(params string[] arguments) => Child.StartSelf(Processors.Measured, 1, [FloorServer.Verb, .. arguments]);

    private Row Protected(string name, int clients) =>
        new(name, $"{Text(clients)} {(clients == 1 ? "client" : "clients")}", RowGroup.Protected,
        [
            new(Role.Beside, "CoAP.NET" + MarkdownReport.Unprotected, () => Datagrams(StartProtected(clients), clients, 0)),
            new(Role.Beside, "OSCORE, AES-CCM-16-64-128", () =>
            {
                Child child = StartProtected(clients);
                DatagramLoop loop = new(child.Endpoints[0], clients, Hello, s_hello, hasOwnSockets: hasOwnSockets,
                    contexts: [.. Enumerable.Range(0, clients).Select(i => new ProtectedPeer(i))]);
                return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
            }),
            new(Role.Beside, "DTLS, AES_128_CCM_8", () =>
                servers.StartSecure() is var child
                    ? Secured(child, child.Endpoints[1], clients, new SecureClient(SecureClient.PskCcm8)) : null!),
        ]);

    private static Child StartProtected(int contexts) => Child.StartSelf(
        Processors.Measured, 1, OscoreProgram.Verb, "--contexts", contexts.ToString());

    private Row Proxied(string name, int peers, bool isCached)
    {
        List<Entrant> entrants =
        [
            new(Role.Beside, "CoAP.NET, its own answer", () => Datagrams(servers.StartOurs(), peers, 0)),
            new(Role.Ours, "CoAP.NET's proxy", () =>
                Through(Child.StartSelf(Processors.Measured, 1, ProxyProgram.Verb), null, peers, isCached)),
        ];
        if (servers.HasLibCoap)
        {
            entrants.Add(new(Role.LibCoap, LibCoapProxy, () =>
                servers.StartLibCoapProxy() is var (child, endpoint) ? Through(child, endpoint, peers, isCached) : null!));
        }

        return new(name, $"{Text(peers)} endpoints, {(isCached ? "answers in the cache" : "each request is sent on")}", RowGroup.Proxies,
            entrants);
    }

    private Contender Through(Child proxy, IPEndPoint? endpoint, int peers, bool isCached)
    {
        Child server = StartUpstream(isCached);

        // Each peer asks a server of its own: equal requests that are under way at a time would be one, and to one server a proxy has
        // 65,536 Message IDs in 247 s.
        DatagramLoop loop = new(endpoint ?? proxy.Endpoints[0], peers, Hello, s_hello, hasOwnSockets: hasOwnSockets, optionsOf: peer =>
            DatagramMessages.ProxyOption(TargetOf(server, isCached ? 0 : peer)));
        return new(seconds => loop.Run(seconds, () => proxy.Cpu).Figures, loop, proxy, server);
    }

    private Row HttpProxied(string name, int clients)
    {
        Entrant Proxy(string title, bool isCached) => new(Role.Ours, title, () =>
        {
            Child proxy = Child.StartSelf(Processors.Measured, 1, [HttpProxyProgram.Verb, .. isCached ? (string[])["--cache"] : []]);
            Child server = StartUpstream(isCached);
            Contender streams = Streams(proxy, proxy.Endpoints[0],
                new HttpStreamProtocol(
                    Enumerable.Range(0, isCached ? 1 : Servers).Select(i => $"/hc/{TargetOf(server, i)}"), HelloText, isClosing: false),
                clients);
            return new(streams.Run, streams, server);
        });
        return new(name, $"{Text(clients)} HTTP clients", RowGroup.Proxies,
        [
            new(Role.Beside, "Kestrel, its own answer", () =>
            {
                Child child = Child.StartSelf(Processors.Measured, 1, HttpServer.Verb);
                return Streams(child, child.Endpoints[0], new HttpStreamProtocol(["/" + Hello], HelloText, isClosing: false), clients);
            }),
            Proxy("HTTP to CoAP, each request is sent on", isCached: false),
            Proxy("HTTP to CoAP, answers in the cache", isCached: true),
        ]);
    }

    private static string TargetOf(Child server, int number) =>
        $"coap://127.250.0.{1 + (number % Servers)}:{server.Endpoints[0].Port}/{Hello}";

    // An answer without Max-Age is fresh for a minute.
    private static Child StartUpstream(bool isFresh) =>
        Child.StartSelf(Processors.Other, 1, [FloorServer.Verb, "--any", .. isFresh ? (string[])[] : ["--stale"]]);

    private static Row Subscribe(string name, int subscribers) =>
        new(name, $"{Text(subscribers)} subscribers of a topic, Confirmable", RowGroup.Notifications,
        [
            new(Role.Ours, "CoAP.NET", () =>
            {
                Child child = Child.StartSelf(Processors.Measured, 1, PubSubProgram.Verb);
                return Observers(child, child.Endpoints[0], subscribers, MakeTopicAsync(child).GetAwaiter().GetResult());
            }),
        ]);

    private static async Task<string> MakeTopicAsync(Child child)
    {
        await using CoapClient client = new();
        CoapPubSubClient collection = new(client, $"coap://127.0.0.1:{child.Endpoints[0].Port}/ps");
        CoapTopic topic = await collection.CreateAsync(new CoapTopicProperties("load") { ContentFormat = CoapContentFormat.TextPlain });
        return new Uri((await topic.FindDataAsync()).ToString()).AbsolutePath.TrimStart('/');
    }

    private Row Secure(string name, int sessions)
    {
        Entrant Sessions(string title, string suite, bool withCid = true) => new(Role.Beside, title, () =>
            servers.StartSecure() is var child ? Secured(child, child.Endpoints[1], sessions, new SecureClient(suite, withCid)) : null!);
        List<Entrant> entrants =
        [
            new(Role.Beside, "CoAP.NET" + Report.MarkdownReport.Plain, () => Datagrams(servers.StartSecure(), sessions, 0)),
            Sessions("AES_128_CCM_8", SecureClient.PskCcm8),
            Sessions("AES_128_GCM", SecureClient.PskGcm),
            Sessions("AES_128_CCM_8, without Connection ID", SecureClient.PskCcm8, withCid: false),
        ];
        if (servers.HasSecureLibCoap)
        {
            entrants.Add(new(Role.LibCoap, "libcoap" + Report.MarkdownReport.Plain, () =>
            {
                (Child child, IPEndPoint endpoint, _) = servers.StartSecureLibCoap();
                return Datagrams(child, sessions, 0, endpoint);
            }));
            entrants.Add(LibCoap("libcoap, AES_128_CCM_8", SecureClient.PskCcm8));
            entrants.Add(LibCoap("libcoap, AES_128_GCM", SecureClient.PskGcm));
        }

        return new(name, $"{Text(sessions)} {(sessions == 1 ? "session" : "sessions")}", RowGroup.Secure, entrants);

        Entrant LibCoap(string title, string suite) => new(Role.LibCoap, title, () =>
        {
            (Child child, _, IPEndPoint endpoint) = servers.StartSecureLibCoap();
            return Secured(child, endpoint, sessions, new SecureClient(suite));
        });
    }

    private Row Tls(string name, int connections)
    {
        Entrant Ours(string title, bool isSecure) => new(Role.Beside, title, () =>
            servers.StartTls() is var child
                ? Streams(child, child.Endpoints[isSecure ? 1 : 0], Coap(), connections, isSecure: isSecure) : null!);
        Entrant Kestrel(string title, bool isSecure) => new(Role.Beside, title, () =>
        {
            string[] proof = isSecure ? ["--cert", servers.Files.Certificate, "--key", servers.Files.Key] : [];
            Child child = Child.StartSelf(Processors.Measured, 1, [HttpServer.Verb, .. proof]);
            return Streams(child, child.Endpoints[0], new HttpStreamProtocol(["/" + Hello], HelloText, false), connections,
                isSecure: isSecure);
        });
        List<Entrant> entrants =
        [
            Ours("CoAP.NET" + Report.MarkdownReport.WithoutTls, isSecure: false),
            Ours("coaps+tcp", isSecure: true),
            Kestrel("HTTP on Kestrel" + Report.MarkdownReport.WithoutTls, isSecure: false),
            Kestrel("HTTPS on Kestrel", isSecure: true),
        ];
        if (servers.HasSecureLibCoap)
        {
            entrants.Add(LibCoap("libcoap" + Report.MarkdownReport.WithoutTls, isSecure: false));
            entrants.Add(LibCoap("libcoap, coaps+tcp", isSecure: true));
        }

        return new(name, $"{Text(connections)} connections", RowGroup.Tls, entrants);

        Entrant LibCoap(string title, bool isSecure) => new(Role.LibCoap, title, () =>
        {
            (Child child, IPEndPoint endpoint, IPEndPoint secure) = servers.StartSecureLibCoap(CoapServers.Credentials.Certificate);
            return Streams(child, isSecure ? secure : endpoint, Coap(), connections, isSecure: isSecure);
        });
    }

    private static Contender Secured(Child child, IPEndPoint endpoint, int sessions, SecureClient client)
    {
        DatagramLoop loop = new(endpoint, sessions, Hello, s_hello, client: client);
        return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
    }

    private Row Handshakes(string name, int peers)
    {
        List<Entrant> entrants =
        [
            Entrant("pre-shared key", () => servers.StartSecure(), () => new SecureClient(SecureClient.PskCcm8)),
            Entrant("ECDSA, the server's certificate", () => servers.StartSecure(CoapServers.Credentials.Certificate),
                () => new SecureClient(SecureClient.EcdsaCcm8)),
            Entrant("ECDSA, certificates of both", () => servers.StartSecure(CoapServers.Credentials.Both),
                () => new SecureClient(SecureClient.EcdsaCcm8, certificate: servers.Files.ClientCertificate)),
        ];
        if (servers.HasSecureLibCoap)
        {
            entrants.Add(LibCoap("libcoap, pre-shared key", CoapServers.Credentials.Key, SecureClient.PskCcm8));
            entrants.Add(LibCoap("libcoap, ECDSA, the server's certificate", CoapServers.Credentials.Certificate, SecureClient.EcdsaCcm8));
        }

        return new(name, $"{Text(peers)} under way", RowGroup.Handshakes, entrants);

        Entrant Entrant(string title, Func<Child> start, Func<SecureClient> client) =>
            new(Role.Beside, title, () => start() is var child ? Opening(child, child.Endpoints[1], client()) : null!);
        Entrant LibCoap(string title, CoapServers.Credentials credentials, string suite) => new(Role.LibCoap, title, () =>
        {
            (Child child, _, IPEndPoint endpoint) = servers.StartSecureLibCoap(credentials);
            return Opening(child, endpoint, new SecureClient(suite));
        });
        Contender Opening(Child child, IPEndPoint endpoint, SecureClient client) =>
            Repeated(child, new HandshakeLoop(endpoint, peers, client));
    }

    private Row Strangers(string name, int peers)
    {
        return new(name, $"{Text(peers)} under way", RowGroup.Strangers,
        [
            new(Role.Ours, "a handshake with a pre-shared key",
                () => Open((endpoint, client) => new HandshakeLoop(endpoint, peers, client))),
            Stranger("a hello without a cookie", StrangerAct.HelloWithoutCookie),
            Stranger("a hello with a wrong cookie", StrangerAct.HelloWithWrongCookie),
            Stranger("both hellos, and garbage behind the cookie", StrangerAct.GarbageBehindCookie),
            Stranger("a datagram that restarts a handshake", StrangerAct.Restart),
        ]);

        Entrant Stranger(string title, StrangerAct act) =>
            new(Role.Beside, title, () => Open((endpoint, client) => new StrangerLoop(endpoint, peers, client, act)));

        Contender Open(Func<IPEndPoint, SecureClient, HandshakeLoop> loop)
        {
            Child child = servers.StartSecure();
            return Repeated(child, loop(child.Endpoints[1], new SecureClient(SecureClient.PskCcm8)));
        }
    }

    private static Contender Repeated(Child child, HandshakeLoop loop) =>
        new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
}

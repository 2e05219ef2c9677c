using System.Globalization;
using System.Net;
using System.Text;
using CoAP.NET.Speed.Floor;
using CoAP.NET.Speed.Loops;
using CoAP.NET.Speed.Report;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

/// <summary>All rows.</summary>
/// <param name="servers">The servers.</param>
/// <param name="most">Not more peers than this in any row.</param>
/// <param name="hasOwnSockets">Whether each peer of requests over UDP has a socket of its own.</param>
internal sealed partial class RowList(CoapServers servers, int most, bool hasOwnSockets)
{
    private const string Hello = "hello";
    private const string HelloText = "hello world!";

    private static readonly byte[] s_hello = Encoding.ASCII.GetBytes(HelloText);

    /// <summary>
    /// Those whose names, or the beginnings of whose names up to a dash, are wanted; all when nothing is. What comes out alike, as
    /// <c>most</c> is small, is there once.
    /// </summary>
    /// <exception cref="ArgumentException">There is none of a name.</exception>
    public IReadOnlyList<Row> Choose(string[] names)
    {
        List<Row> all = [.. All().DistinctBy(row => row.Title)];
        foreach (string name in names)
        {
            if (!All().Any(row => IsMeant(row, name)))
            {
                throw new ArgumentException($"'{name}' is no row: {string.Join(", ", All().Select(row => row.Name))}.");
            }
        }

        return names.Length == 0 ? all : [.. All().Where(row => names.Any(name => IsMeant(row, name))).DistinctBy(row => row.Title)];
    }

    private static bool IsMeant(Row row, string name) => row.Name == name || row.Name.StartsWith(name + "-", StringComparison.Ordinal);

    private static string Text(int number) => number.ToString("N0", CultureInfo.InvariantCulture);

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

        foreach (int shards in (int[])[1, 2])
        {
            yield return Sharded($"shards-{shards}", Few(1024), shards);
        }

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

    private Row Sharded(string name, int peers, int shards) =>
        new(name, $"UDP, {Text(peers)} endpoints, {shards} {(shards == 1 ? "shard" : "shards")}, the server on both processors",
            RowGroup.Requests, [new(Role.Ours, "CoAP.NET", () => Datagrams(servers.StartSharded(shards), peers, 0))]);

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
        string count = servers.ToString(CultureInfo.InvariantCulture);
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
                    floor.Endpoints[0].Port.ToString(CultureInfo.InvariantCulture));
                return new(seconds => Parse(client.Ask(seconds.ToString(CultureInfo.InvariantCulture))), client, floor);
            }),
        ]);
    }

    private static Row FanIn(string name, int observations)
    {
        string count = observations.ToString(CultureInfo.InvariantCulture);
        return new(name, $"one client that observes {Text(observations)} resources", RowGroup.Notifications,
        [
            new(Role.Ours, "CoapClient", () =>
            {
                Child notifier = Child.StartSelf(Processors.Other, 1, NotifierServer.Verb, "--count", count);
                Child client = Child.StartSelf(
                    Processors.Measured, 0, FanInProgram.Verb, "--count", count, "--port",
                    notifier.Endpoints[0].Port.ToString(CultureInfo.InvariantCulture));
                return new(seconds => Parse(client.Ask(seconds.ToString(CultureInfo.InvariantCulture))), client, notifier);
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
        double[] all = [.. line.Split(' ').Select(one => double.Parse(one, CultureInfo.InvariantCulture))];
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
}

using System.Globalization;
using System.Net;
using CoAP.NET.Speed.Floor;
using CoAP.NET.Speed.Loops;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

// Proxies. The server that they ask is a floor beside the load, so that nothing but the proxy is on the processor that is measured. The
// first one of a row answers by itself: what the others are compared with.
internal sealed partial class RowList
{
    private const string LibCoapProxy = "libcoap's proxy";

    // Addresses of the one process that answers.
    private const int Servers = 250;

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

    private static string TargetOf(Child server, int number) => string.Create(
        CultureInfo.InvariantCulture, $"coap://127.250.0.{1 + (number % Servers)}:{server.Endpoints[0].Port}/{Hello}");

    // An answer without Max-Age is fresh for a minute.
    private static Child StartUpstream(bool isFresh) =>
        Child.StartSelf(Processors.Other, 1, [FloorServer.Verb, "--any", .. isFresh ? (string[])[] : ["--stale"]]);
}

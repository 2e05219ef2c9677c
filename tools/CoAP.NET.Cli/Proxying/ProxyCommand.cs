using System.CommandLine;
using System.Net;
using CoAP.NET.Cli.Serving;
using CoAP.NET.Cli.Wire;
using CoAP.NET.Http;
using CoAP.NET.Proxy;
using CoAP.NET.Resources;
using Spectre.Console;

namespace CoAP.NET.Cli.Proxying;

internal static class ProxyCommand
{
    private const string DefaultAddress = "coap://localhost:5683";

    internal static Command Create(CliContext context)
    {
        ProxyCommandOptions options = new();
        GroupedHelpCommand command = new("proxy",
            "Forward requests to other servers: as a forward proxy for clients that name it, as a reverse proxy for --map. Ends with "
            + "Ctrl-C.")
        {
            Examples =
            [
                "coap proxy --listen coap://[::]:5683 --allow '*.sensors.example.com' --allow 192.168.7.0/24",
                "coap proxy --listen coap://[::]:5683 --map '/floor1=coap://[2001:db8::5]'",
                "coap proxy --listen coaps://[::] --psk-file devices.psk --map /api=https://api.example.com",
            ],
        };
        options.AddTo(command);
        return command.Runs(context, (parse, cancellationToken) => RunAsync(parse, context, options, cancellationToken));
    }

    private static async Task<int> RunAsync(ParseResult parse, CliContext context, ProxyCommandOptions options,
        CancellationToken cancellationToken)
    {
        string[] addresses = ServeCommand.AddressesOf(parse, options.Listen, DefaultAddress);
        CoapEndpointOptions endpoint = new() { TimeProvider = context.TimeProvider };
        ServeSecurity.Apply(parse, options.Keys, addresses, endpoint, "--listen");
        WireTrace? trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), endpoint);
        CoapProxy proxy = Create(parse, context, options, trace);
        CoapServer server = context.CreateServer(endpoint);
        await using (server.ConfigureAwait(false))
        await using (proxy.ConfigureAwait(false))
        {
            foreach (string uri in addresses)
            {
                ServeCommand.Listen(server, uri, "--listen");
            }

            Map(parse, options, server, proxy, new ServeLog(context, parse.GetValue(options.Quiet)));
            await server.StartAsync(cancellationToken).ConfigureAwait(false);
            Announce(parse, context, options, server);
            await ServeCommand.UntilAsync(cancellationToken).ConfigureAwait(false);
            context.Error.MarkupLine("[grey]Stopping.[/]");
            await server.StopAsync(CancellationToken.None).ConfigureAwait(false);
        }

        trace?.Summarize();
        return ExitCodes.Success;
    }

    private static CoapProxy Create(ParseResult parse, CliContext context, ProxyCommandOptions options, WireTrace? trace)
    {
        // Shows errors in files immediately, and not with the first client that needs them.
        options.UpstreamKeys.Apply(parse, new CoapEndpointOptions());
        CoapProxyOptions how = new()
        {
            RequireVerified = !parse.GetValue(options.NoVerify),
            AllowSecuredTargetsToAnyone = parse.GetValue(options.SecuredToAnyone),
            NextProxy = parse.GetValue(options.Next) is { } next ? ProxyOf(next) : null,
            ConfigureClient = client =>
            {
                client.TimeProvider = context.TimeProvider;
                options.UpstreamKeys.Apply(parse, client);
                trace?.AddTo(client.Pipeline);
            },
        };
        how.HopLimit = parse.GetValue(options.HopLimit) ?? how.HopLimit;
        how.Limits.MaxBodySize = parse.GetValue(options.MaxBody) ?? how.Limits.MaxBodySize;
        how.Limits.MaxStreamedBodySize = parse.GetValue(options.MaxStreamedBody) ?? how.Limits.MaxStreamedBodySize;
        how.Limits.MaxRequests = parse.GetValue(options.MaxRequests) ?? how.Limits.MaxRequests;
        how.Limits.MaxRequestsPerSource = parse.GetValue(options.MaxRequestsPerSource) ?? how.Limits.MaxRequestsPerSource;
        how.Limits.MaxObservations = parse.GetValue(options.MaxObservations) ?? how.Limits.MaxObservations;
        how.Limits.MaxObservationsPerSource = parse.GetValue(options.MaxObservationsPerSource) ?? how.Limits.MaxObservationsPerSource;
        how.Limits.CacheBytes = parse.GetValue(options.NoCache) ? 0 : parse.GetValue(options.CacheBytes) ?? how.Limits.CacheBytes;
        how.Timeout = parse.GetValue(options.Timeout) ?? how.Timeout;

        foreach (string allowed in parse.GetValue(options.Allow) ?? [])
        {
            Allow(how.Targets, allowed);
        }

        string? identifier = parse.GetValue(options.Identifier);
        ReportOn(() => how.Identifier = identifier, $"--identifier {identifier}: 1 to 64 characters without a space or control character.");
        foreach (string name in parse.GetValue(options.Name) ?? [])
        {
            ReportOn(() => _ = new CoapProxyNames(name), $"--name {name} is not a host with an optional port, such as "
                + "gateway.example.com.");
            how.Names.Add(name);
        }

        CoapProxy proxy = new(how);
        return parse.GetValue(options.Http) || (parse.GetValue(options.Map) ?? []).Any(static map => IsHttp(map))
            ? proxy.UseHttp(http =>
            {
                http.MaxBodySize = how.Limits.MaxBodySize;
                http.TimeProvider = context.TimeProvider;
            })
            : proxy;
    }

    private static bool IsHttp(string map) => TargetArgument.IsHttp(map[(map.IndexOf('=', StringComparison.Ordinal) + 1)..]);

    private static CoapUri ProxyOf(string text)
    {
        CoapUri proxy = TargetArgument.Check(text);
        return proxy.PathSegments.Count == 0 && proxy.QueryArguments.Count == 0
            ? proxy
            : throw new UsageException($"{text} in --next names a resource, but a proxy is a host.",
                $"Leave out path and query: --next {proxy.Scheme}://{proxy.Authority}");
    }

    private static void ReportOn(Action set, string message)
    {
        try
        {
            set();
        }
        catch (ArgumentException)
        {
            throw new UsageException(message);
        }
    }

    private static void Allow(CoapProxyTargets targets, string allowed)
    {
        try
        {
            _ = allowed.Contains('/') ? targets.AllowNetwork(allowed) : targets.AllowHost(allowed);
        }
        catch (ArgumentException)
        {
            throw new UsageException(
                $"--allow {allowed} is neither a host nor a network.",
                "Write sensor.example.com, *.example.com, 192.0.2.7 or 192.168.7.0/24; after it a port such as :5685 if it is not the default "
                    + "of the scheme, or :* for every port.");
        }
    }

    private static void Map(ParseResult parse, ProxyCommandOptions options, CoapServer server, CoapProxy proxy, ServeLog log)
    {
        // An address with a plain scheme next to a secured one means to serve there too.
        server.Routes.AllowInsecureTransport();
        server.Routes.AddFilter((request, next, cancellationToken) =>
            log.RunAsync(request, async () => new LoggedResult(await next(request, cancellationToken).ConfigureAwait(false))));
        if (parse.GetValue(options.Allow) is { Length: > 0 })
        {
            server.MapForwardProxy(proxy);
        }

        foreach (string map in parse.GetValue(options.Map) ?? [])
        {
            int at = map.IndexOf('=', StringComparison.Ordinal);
            if (at <= 0 || map[0] != '/')
            {
                throw new UsageException($"--map {map} is not a path with a URI.", "Write /floor1=coap://[2001:db8::5]/.");
            }

            MapOne(server, map[..at].TrimEnd('/'), map[(at + 1)..], proxy);
        }

        if (parse.GetValue(options.Allow) is not { Length: > 0 } && parse.GetValue(options.Map) is not { Length: > 0 })
        {
            throw new UsageException(
                "A proxy needs targets.", "--allow HOST names the allowed targets, --map PATH=URI a server to forward to.");
        }
    }

    private static void MapOne(CoapServer server, string prefix, string text, CoapProxy proxy)
    {
        bool isHttp = TargetArgument.IsHttp(text);
        if (isHttp && !Uri.TryCreate(text, UriKind.Absolute, out _))
        {
            throw new UsageException($"{text} in --map is not a URI.", "Write /api=https://api.example.com.");
        }

        string target = isHttp ? text : TargetArgument.Check(text).ToString();
        CoapRouteHandlerBuilder route = server.MapReverseProxy($"{prefix}/{{*path}}", target, proxy);
        if (prefix.Length > 0 && !prefix.Contains('{', StringComparison.Ordinal))
        {
            // The resources of the proxy itself are the servers that its paths represent.
            CoapLink link = new(string.Join('/', prefix.Split('/').Select(Uri.EscapeDataString)));
            route.WithLinks(_ => [link]);
        }

        if (prefix.Length == 0 && !isHttp)
        {
            // Otherwise this server would list its own resources there, and it has none.
            server.MapReverseProxy("/.well-known/core", $"{target.TrimEnd('/')}/.well-known/core", proxy);
        }
    }

    private static void Announce(ParseResult parse, CliContext context, ProxyCommandOptions options, CoapServer server)
    {
        foreach (CoapUri uri in server.LocalEndpoints)
        {
            context.Out.Writer.WriteLine(CoapUri.OriginOf(uri.ToString()));
        }

        string allowed = string.Join(", ", parse.GetValue(options.Allow) ?? []);
        string what = allowed.Length == 0 ? "what --map says" : allowed;
        context.Error.MarkupLine($"Forwarding to {Markup.Escape(what)} for clients. Press Ctrl-C to stop.");
    }
}

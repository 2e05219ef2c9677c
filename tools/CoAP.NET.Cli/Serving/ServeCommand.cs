using System.CommandLine;
using CoAP.NET.Cli.Wire;
using Spectre.Console;

namespace CoAP.NET.Cli.Serving;

/// <summary>Shares a folder.</summary>
internal static class ServeCommand
{
    private const string AllPaths = "/{*path}";
    private const string Core = "/.well-known/core";

    // Unlike that of a CoapServer, it is for other machines too: that is what a folder is shared for.
    private const string DefaultAddress = "coap://[::]:5683";
    private static readonly CoapMethod[] s_otherMethods = [CoapMethod.Post, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch];

    internal static Command Create(CliContext context)
    {
        ServeOptions options = new();
        GroupedHelpCommand command = new("serve",
            "Share a folder: files block by block, folders as links, changes to observers. Ends with Ctrl-C.")
        {
            Examples =
            [
                "coap serve data --bind coap://127.0.0.1",
                "coap serve firmware --bind coaps://[::] --psk-file devices.psk",
                "coap serve inbox --write --max-size 1M",
            ],
        };
        options.AddTo(command);
        return command.Runs(context, (parse, cancellationToken) => RunAsync(parse, context, options, cancellationToken));
    }

    private static async Task<int> RunAsync(ParseResult parse, CliContext context, ServeOptions options,
        CancellationToken cancellationToken)
    {
        ServedFolderPathMapper paths = new(parse.GetRequiredValue(options.Folder), parse.GetValue(options.All));
        bool isWritable = parse.GetValue(options.Write);
        string[] addresses = AddressesOf(parse, options.Bind, DefaultAddress);
        CoapEndpointOptions endpoint = new() { TimeProvider = context.TimeProvider };
        ServeSecurity.Apply(parse, options.Keys, addresses, endpoint);
        options.Oscore.ApplyTo(parse, context, endpoint);
        WireTrace? trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), endpoint);
        CoapServer server = context.CreateServer(endpoint);
        FolderMonitor watch = new(paths, context.TimeProvider, options.CheckOf(parse));
        using FolderWriteHandler writer = new(paths, context.TimeProvider);
        await using (server.ConfigureAwait(false))
        await using (watch.ConfigureAwait(false))
        {
            foreach (string uri in addresses)
            {
                Listen(server, uri);
            }

            if (parse.GetValue(options.Join))
            {
                server.JoinGroups();
            }

            if (isWritable)
            {
                writer.RemoveAbandonedParts();
            }

            Map(
                server, new FolderGetHandler(paths, watch), isWritable ? writer : null,
                new ServeLog(context, parse.GetValue(options.Quiet)), options.MaxSizeOf(parse), options.Oscore.IsSet(parse));
            await server.StartAsync(cancellationToken).ConfigureAwait(false);
            watch.Start(path => server.Notify(path));
            Announce(context, server, paths, isWritable);
            await UntilAsync(cancellationToken).ConfigureAwait(false);
            context.Error.MarkupLine("[grey]Stopping.[/]");
            await server.StopAsync(CancellationToken.None).ConfigureAwait(false);
        }

        trace?.Summarize();
        return ExitCodes.Success;
    }

    /// <summary>The addresses that an option names, or the default.</summary>
    internal static string[] AddressesOf(ParseResult parse, Option<string[]> option, string byDefault) =>
        [.. (parse.GetValue(option) is { Length: > 0 } named ? named : [byDefault]).Select(TargetArgument.Complete)];

    internal static void Listen(CoapServer server, string uri, string option = "--bind")
    {
        if (uri.StartsWith("coap+ws:", StringComparison.OrdinalIgnoreCase)
            || uri.StartsWith("coaps+ws:", StringComparison.OrdinalIgnoreCase))
        {
            throw new UsageException(
                $"The server cannot listen on {uri}: WebSockets need a web server, which this tool does not have.",
                "A web application serves CoAP by MapCoapWebSocket of the package CoAP.NET.AspNetCore. "
                    + $"Here, {option} takes coap, coaps, coap+tcp and coaps+tcp.");
        }

        server.Listen(uri);
    }

    private static void Map(
        CoapServer server, FolderGetHandler reader, FolderWriteHandler? writer, ServeLog log, long maxSize, bool isProtected)
    {
        CoapRouteHandlerBuilder Protect(CoapRouteHandlerBuilder route) => isProtected ? route.RequireOscore() : route;

        // An address with a plain scheme next to a secured one means to serve there too.
        server.Routes.AllowInsecureTransport();
        Protect(server.MapGet(Core, (request, _) => log.RunAsync(request, () => ValueTask.FromResult(reader.GetCore(request))))
            .AllowMulticast().ExcludeFromDiscovery());
        Protect(server
            .MapGet(AllPaths, (request, _) => log.RunAsync(request, () => ValueTask.FromResult(reader.Get(request, SegmentsOf(request)))))
            .WithExecution(queued: 4).Observable(observe => observe.SameForAll = true));
        List<CoapMethod> refused = [.. s_otherMethods];
        if (writer is null)
        {
            refused.AddRange([CoapMethod.Put, CoapMethod.Delete]);
        }
        else
        {
            Protect(server.MapPut(AllPaths,
                (request, cancellationToken) =>
                    log.RunAsync(request, () => writer.PutAsync(request, SegmentsOf(request), cancellationToken))).WithStreamedBody()
                .WithMaxBodySize(maxSize));
            Protect(server.MapDelete(AllPaths,
                (request, cancellationToken) =>
                    log.RunAsync(request, () => writer.DeleteAsync(request, SegmentsOf(request), cancellationToken))));
        }

        // At the first block: the server does not reassemble an unwanted body.
        server.Map(AllPaths, refused,
            (CoapRequestContext request) => log.RunAsync(
                request, () => ValueTask.FromResult(new LoggedResult(CoapResults.MethodNotAllowed())))).WithBodyInBlocks();
    }

    private static IReadOnlyList<string> SegmentsOf(CoapRequestContext request) => request.Options.UriPath;

    private static void Announce(CliContext context, CoapServer server, ServedFolderPathMapper paths, bool isWritable)
    {
        foreach (CoapUri uri in server.LocalEndpoints)
        {
            context.Out.Writer.WriteLine(CoapUri.OriginOf(uri.ToString()));
        }

        context.Error.MarkupLine(
            $"Sharing {Markup.Escape(paths.Root)}"
                + (isWritable ? "; [yellow]every client that reaches this server can change the files in it[/]"
                    : ", read-only") + ". Press Ctrl-C to stop.");
    }

    /// <summary>Waits until the tool stops.</summary>
    internal static async Task UntilAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CancellationTokenRegistration registration = cancellationToken.Register(() => stopped.TrySetResult());
        await using (registration.ConfigureAwait(false))
        {
            await stopped.Task.ConfigureAwait(false);
        }
    }
}

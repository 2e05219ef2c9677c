using System.CommandLine;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Explorer;
using CoAP.NET.Oscore;

namespace CoAP.NET.Cli.Exploring;

/// <summary>Serves a local web page that shows devices.</summary>
internal static class ExploreCommand
{
    // Browsers keep bookmarks by address and port. The port is next to CoAP's own, and not registered for any protocol.
    private const int UsualPort = 5690;
    private const string ProfileName = "command line";

    internal static Command Create(CliContext context)
    {
        Argument<string?> target = new("URI")
        {
            Description = "The first server to show. The page can open others.",
            Arity = ArgumentArity.ZeroOrOne,
            HelpName = "URI",
        };
        target.CompletionSources.Add(TargetArgument.Schemes);
        Option<int?> port = CommandExtensions.Number(
            "--port", "The port of the page on 127.0.0.1. Default: 5690, or a free one if that is in use. 0: a free one.", 0, 65_535);
        Option<bool> noOpen = new("--no-open") { Description = "Only print the address; open no browser." };
        ConnectionOptions connection = new();
        OscoreContextOption oscore =
            new("Protect requests to URI by OSCORE with the context of this file, or of a directory of aiocoap. The "
            + "sequence numbers are next to it.");
        GroupedHelpCommand command = new("explore",
            "Show devices in the browser: their resources, requests, observations, messages byte by byte. Ends with Ctrl-C.")
        {
            Examples = ["coap explore coap://device.example", "coap explore coaps://device.example --psk-file meter-7.psk --no-open"],
        };
        command.Arguments.Add(target);
        command.AddGroup("Page", port, noOpen);
        connection.AddToBrowser(command);
        command.AddGroup(HelpGroup.Security, oscore.Option);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            string? text = parse.GetValue(target) is { } given ? TargetArgument.Complete(given) : null;
            CoapUri? uri = text is null ? null : TargetArgument.Check(text);
            if (uri is null && (oscore.IsSet(parse) || connection.HasSecurity(parse)))
            {
                throw new UsageException("Keys need a server.", "Give its URI, such as coaps://192.0.2.1.");
            }

            OscoreContexts? contexts = oscore.OpenFor(parse, context, text ?? "");
            CoapLocalExplorer explorer = await StartAsync(Configure, parse.GetValue(port), cancellationToken).ConfigureAwait(false);
            await using (explorer.ConfigureAwait(false))
            {
                context.Out.Writer.WriteLine(explorer.Address.AbsoluteUri);
                context.Out.Writer.Flush();
                using RedirectPage? page = parse.GetValue(noOpen) ? null : new RedirectPage(explorer.Address);
                bool isOpen = page is not null && context.OpenBrowser(page.Location);
                context.Error.MarkupLine(isOpen
                    ? "[grey]It is open in your browser. The address is the key to it: do not share it. Press Ctrl-C to stop.[/]"
                    : "[grey]Open this address in a browser. It is the key to the page: do not share it. Press Ctrl-C to stop.[/]");
                await Task.Delay(Timeout.InfiniteTimeSpan, context.TimeProvider, cancellationToken)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            return ExitCodes.Success;

            void Configure(CoapExplorerOptions options)
            {
                options.FirstTarget = uri;
                options.ConfigureClient = endpoint => connection.ApplyTransmission(parse, endpoint);
                if (uri is not null && (contexts is not null || connection.HasSecurity(parse)))
                {
                    options.AddProfile(
                        ProfileName,
                        endpoint =>
                        {
                            connection.ApplySecurity(parse, uri.Scheme, endpoint);
                            if (contexts is not null)
                            {
                                endpoint.UseOscore(contexts);
                            }
                        },
                        uri.Host);
                }
            }
        });
    }

    private static async Task<CoapLocalExplorer> StartAsync(
        Action<CoapExplorerOptions> configure, int? port, CancellationToken cancellationToken)
    {
        try
        {
            return await CoapLocalExplorer.StartAsync(configure, port ?? UsualPort, cancellationToken).ConfigureAwait(false);
        }
        catch (IOException) when (port is null)
        {
            return await CoapLocalExplorer.StartAsync(configure, 0, cancellationToken).ConfigureAwait(false);
        }
    }
}

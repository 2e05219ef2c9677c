using System.CommandLine;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>
/// <c>--oscore FILE</c>: the security contexts of a client or server of the tool, with the store of their numbers next to the file.
/// </summary>
internal sealed class OscoreContextOption
{
    public OscoreContextOption(string description) => Option =
        new Option<string?>("--oscore") { Description = description, HelpName = "FILE" };

    public Option<string?> Option { get; }

    public bool IsSet(ParseResult parse) => parse.GetValue(Option) is not null;

    /// <summary>Protects a client's requests to a server with the only context of the file.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Closes the contexts.</param>
    /// <param name="endpoint">The options of the client.</param>
    /// <param name="server">The URI of a resource of the server itself, even with a proxy.</param>
    /// <exception cref="UsageException">The file has another number of contexts, or the server does not speak CoAP.</exception>
    public void ApplyTo(ParseResult parse, CliContext context, CoapEndpointOptions endpoint, string server)
    {
        if (OpenFor(parse, context, server) is { } contexts)
        {
            endpoint.UseOscore(contexts);
        }
    }

    /// <summary>Opens the only context of the file, for a server; null without the option.</summary>
    /// <exception cref="UsageException">The file has another number of contexts, or the server does not speak CoAP.</exception>
    public OscoreContexts? OpenFor(ParseResult parse, CliContext context, string server)
    {
        if (parse.GetValue(Option) is not { } path)
        {
            return null;
        }

        CoapUri target = TargetArgument.Check(server);
        OpenedContexts opened = OpenedContexts.Open(path, context);
        return opened.Contexts is [var only]
            ? new OscoreContexts().Add($"{target.Scheme}://{target.Authority}", only)
            : throw new UsageException($"{path} has {opened.Contexts.Count} security contexts, but a client uses one.",
                "Keep the context of each server in a file of its own.");
    }

    /// <summary>Serves requests of a server with the contexts of the file.</summary>
    public void ApplyTo(ParseResult parse, CliContext context, CoapEndpointOptions endpoint)
    {
        if (parse.GetValue(Option) is not { } path)
        {
            return;
        }

        OscoreContexts contexts = new();
        foreach (OscoreContext opened in OpenedContexts.Open(path, context).Contexts)
        {
            contexts.Add(opened);
        }

        endpoint.UseOscore(contexts);
    }

    // A file with its store and contexts; closed in this order, so that the store has the received numbers.
    private sealed class OpenedContexts(OscoreContextFile file) : IAsyncDisposable
    {
        public List<OscoreContext> Contexts { get; } = [];

        public static OpenedContexts Open(string path, CliContext context)
        {
            OpenedContexts opened = new(OscoreContextFile.Read(path));
            context.Own(opened);
            IOscoreStore store = opened.File.OpenStore();
            foreach (OscoreContextFileEntry entry in opened.File.Contexts)
            {
                // Blocks briefly for the disk, before other work could wait for it.
                opened.Contexts.Add(OscoreContext.OpenAsync(entry.Parameters, store).AsTask().GetAwaiter().GetResult());
            }

            return opened;
        }

        private OscoreContextFile File => file;

        public async ValueTask DisposeAsync()
        {
            foreach (OscoreContext context in Contexts)
            {
                await context.DisposeAsync().ConfigureAwait(false);
            }

            file.Dispose();
        }
    }
}

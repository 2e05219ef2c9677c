using System.CommandLine;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>
/// <c>--edhoc FILE</c>: a client of the tool agrees on keys with the server before its requests, which OSCORE then protects.
/// </summary>
internal sealed class EdhocOption
{
    public Option<string?> Option { get; } = new("--edhoc")
    {
        Description = "Agree on keys with the server by EDHOC, with the credentials that this file names, and protect requests by OSCORE.",
        HelpName = "FILE",
    };

    /// <summary>The server that the client expects.</summary>
    public Option<string?> Peer { get; } = new("--edhoc-peer")
    {
        Description = "Talk to this server only: its identity in the file of --edhoc, or the name in its certificate.",
        HelpName = "NAME",
    };

    public bool IsSet(ParseResult parse) => parse.GetValue(Option) is not null;

    /// <summary>Protects requests of a client after <see cref="EdhocKeyAgreement.ConnectAsync"/> has created the keys.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Disposes the credentials.</param>
    /// <param name="endpoint">The options of the client.</param>
    /// <param name="server">The URI of a resource of the server.</param>
    /// <param name="hasOtherKeys">Whether there are already contexts.</param>
    /// <param name="isProxied">Whether requests go to a proxy.</param>
    /// <returns>The key exchange; null without the option.</returns>
    /// <exception cref="UsageException">It contradicts another option.</exception>
    public EdhocKeyAgreement? ApplyTo(
        ParseResult parse, CliContext context, CoapEndpointOptions endpoint, string server, bool hasOtherKeys, bool isProxied)
    {
        string? peer = parse.GetValue(Peer);
        if (parse.GetValue(Option) is not { } path)
        {
            return peer is null ? null : throw new UsageException("--edhoc-peer needs --edhoc.", "Add --edhoc FILE.");
        }

        if (hasOtherKeys)
        {
            throw new UsageException("--edhoc creates keys, and --oscore has them in a file.", "Give one of them.");
        }

        if (isProxied)
        {
            throw new UsageException("--edhoc needs a direct connection to the server, not through "
                + "--proxy.", "Use --oscore with keys that both have.");
        }

        CoapUri target = TargetArgument.Check(server);
        EdhocKeyAgreement run = new(path, $"{target.Scheme}://{target.Authority}", peer);
        context.Own(run);
        endpoint.UseOscore(run.Contexts);
        return run;
    }
}

using System.CommandLine;
using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;

namespace CoAP.NET.Cli.CommandLine;

/// <summary><c>--edhoc FILE</c>: a client of the tool agrees on keys with the server before its requests, which OSCORE protects.</summary>
internal sealed class EdhocOption
{
    /// <summary>The option.</summary>
    public Option<string?> Option { get; } = new("--edhoc")
    {
        Description = "Agree on keys with the server by EDHOC, with the credentials that this file names, and protect requests by OSCORE.",
        HelpName = "FILE",
    };

    /// <summary>Has requests of a client be protected once <see cref="EdhocRun.ConnectAsync"/> has made the keys.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Ends the credentials.</param>
    /// <param name="endpoint">The options of the client.</param>
    /// <param name="server">The URI of a resource of the server.</param>
    /// <param name="hasOtherKeys">Whether there are contexts already.</param>
    /// <param name="isProxied">Whether a proxy is asked.</param>
    /// <returns>What makes the keys; null without the option.</returns>
    /// <exception cref="UsageException">It does not go together with another option.</exception>
    public EdhocRun? ApplyTo(
        ParseResult parse, CliContext context, CoapEndpointOptions endpoint, string server, bool hasOtherKeys, bool isProxied)
    {
        if (parse.GetValue(Option) is not { } path)
        {
            return null;
        }

        if (hasOtherKeys)
        {
            throw new UsageException("--edhoc makes the keys that --oscore has in a file.", "Give one of the two.");
        }

        if (isProxied)
        {
            throw new UsageException("--edhoc asks the server itself, not through --proxy.", "Use --oscore with keys that both have.");
        }

        CoapUri target = TargetArgument.Check(server);
        EdhocRun run = new(path, $"{target.Scheme}://{target.Authority}");
        context.Own(run);
        endpoint.UseOscore(run.Contexts);
        return run;
    }
}

using System.CommandLine;
using System.Globalization;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Wire;
using CoAP.NET.Diagnostics;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Registrations;
using Spectre.Console;

namespace CoAP.NET.Cli.Registering;

/// <summary>Registers an endpoint with a resource directory, as a commissioning tool does (RFC 9176 section 5).</summary>
internal static class RegisterCommand
{
    internal static Command Create(CliContext context)
    {
        Argument<string> target = TargetArgument.Create(
            "The resource directory, by scheme, host and port, where the command discovers its resources (RFC 9176 section 4.3). Default "
                + "scheme: coap://.");
        Option<string> name = new("--ep") { Description = "The name of the endpoint. Required.", HelpName = "NAME", Required = true };
        Option<string?> endpoint = new("--base")
        {
            Description = "The address of the endpoint: scheme, host and port. Required, because the directory would use the address of "
                + "this tool.",
            HelpName = "URI"
        };
        Option<string?> sector = new("--sector", "-d") { Description = "The sector of the endpoint.", HelpName = "NAME" };
        Option<TimeSpan?> lifetime = DurationParser.PositiveOption("--lt", "The lifetime of the registration. Default 25h.");
        Option<string[]> types = new("--et") { Description = "A type of the endpoint. May be repeated.", HelpName = "TYPE" };
        Option<string[]> attributes = new("--attribute") { Description = "Another attribute. May be repeated.", HelpName = "NAME=VALUE" };
        Option<string[]> links = new("--link", "-l")
        {
            Description = "A link in link format, such as '</t>;rt=temperature-c'. May be repeated.",
            HelpName = "LINK"
        };
        Option<bool> ask = new("--ask") { Description = "Ask the endpoint for its links, at /.well-known/core of --base." };
        Option<bool> keep = new("--keep") { Description = "Keep it registered until Ctrl-C, and remove it then." };
        Option<TimeSpan?> timeout = DurationParser.PositiveOption("--timeout", "Timeout of a request. Default 60s.", "-B");
        ConnectionOptions connection = new();
        GroupedHelpCommand command = new("register", "Register an endpoint with a resource directory.")
        {
            Examples =
            [
                "coap register coap://directory.example --ep meter-7 --base 'coap://[2001:db8::3]' --ask",
                "coap register coap://directory.example --ep lamp --base coap://192.0.2.7 --link '</state>;rt=lamp' --keep",
            ],
        };
        command.Arguments.Add(target);
        command.AddGroup("Registration", name, endpoint, sector, lifetime, types, attributes, links, ask, keep, timeout);
        connection.AddTo(command);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            string uri = TargetArgument.Complete(parse.GetRequiredValue(target));
            string where = parse.GetValue(endpoint) ?? throw new UsageException(
                "The address of the endpoint is missing.", "Add it, such as --base 'coap://[2001:db8::3]'.");
            CoapRegistrationOptions options = new()
            {
                EndpointName = parse.GetRequiredValue(name),
                Base = TargetArgument.Check(where),
                Sector = parse.GetValue(sector),
                Links = ParseLinks(parse.GetValue(links) ?? []),
                RemoveAtEnd = parse.GetValue(keep),
            };
            options.Lifetime = parse.GetValue(lifetime) ?? options.Lifetime;
            options.Timeout = parse.GetValue(timeout) ?? options.Timeout;
            foreach (string type in parse.GetValue(types) ?? [])
            {
                options.Types.Add(type);
            }

            foreach (string text in parse.GetValue(attributes) ?? [])
            {
                int equals = text.IndexOf('=', StringComparison.Ordinal);
                if (equals <= 0 || !options.Attributes.TryAdd(text[..equals], text[(equals + 1)..]))
                {
                    throw new UsageException($"'{text}' in --attribute is not an attribute, or repeats a name.", "Write NAME=VALUE.");
                }
            }

            WireTrace? trace = null;
            CoapUri asked = TargetArgument.Check(uri);
            CoapClient client = connection.CreateClient(parse, context, asked, made =>
                trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), made), sendsOthers: true);
            client.Timeout = options.Timeout;
            int code;
            await using (client.ConfigureAwait(false))
            {
                if (parse.GetValue(ask))
                {
                    IReadOnlyList<CoapLink> found = await client.DiscoverAsync(options.Base, null, cancellationToken)
                        .ConfigureAwait(false);
                    options.Links = [.. options.Links, .. found];
                }

                CoapRegistration registration = CoapRegistration.Start(client, uri, options);
                await using (registration.ConfigureAwait(false))
                {
                    code = await WatchAsync(context, registration, parse.GetValue(keep), cancellationToken).ConfigureAwait(false);
                }
            }

            trace?.Summarize();
            return code;
        });
    }

    private static CoapLink[] ParseLinks(string[] texts)
    {
        List<CoapLink> all = [];
        foreach (string text in texts)
        {
            all.AddRange(CoapLinkFormat.TryParse(text, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error)
                ? links
                : throw new UsageException($"'{text}' in --link is not a link: {error.Message} at character {error.Offset}.",
                    "Write '</path>;rt=type', in quotes for the shell."));
        }

        return [.. all];
    }

    // Reports each state once; without --keep the first result is the last.
    private static async Task<int> WatchAsync(CliContext context, CoapRegistration registration, bool keeps,
        CancellationToken cancellationToken)
    {
        CoapRegistrationStatus? told = null;
        while (true)
        {
            CoapRegistrationStatus status = registration.Status;
            if (status == told)
            {
                try
                {
                    await registration.WhenChangedAsync(status, cancellationToken).ConfigureAwait(false);
                }
                catch (OperationCanceledException) when (keeps)
                {
                    return ExitCodes.Success;
                }

                continue;
            }

            told = status;
            switch (status.State)
            {
                case CoapRegistrationState.Registered:
                    context.Out.Writer.WriteLine(Describe(status));
                    break;
                case CoapRegistrationState.Waiting or CoapRegistrationState.Retrying when keeps:
                    FailureReporter.Write(context, status.Error!.Message,
                        string.Create(CultureInfo.InvariantCulture, $"The next attempt is at {status.NextTry:HH:mm:ss}")
                            + "; press Ctrl-C to stop.");
                    break;
                case CoapRegistrationState.Waiting:
                    (int code, string? hint) = FailureReporter.Judge(status.Error!);
                    FailureReporter.Write(context, status.Error!.Message, hint);
                    return status.Error is CoapDirectoryException { Response: { IsSuccess: false } response }
                        ? ExitCodes.Of(response.Code)
                        : code;
                default:
                    break;
            }

            if (!keeps && status.State == CoapRegistrationState.Registered)
            {
                return ExitCodes.Success;
            }
        }
    }

    private static string Describe(CoapRegistrationStatus status)
    {
        CoapUri place = status.Location ?? status.Directory!;
        return string.Create(CultureInfo.InvariantCulture,
            $"{CoapUntrustedText.LineOf(place.ToString())} until {status.Until:yyyy-MM-dd HH:mm:ss} UTC");
    }
}

using System.CommandLine;
using System.Net;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Commands;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Proxying;
using CoAP.NET.Cli.Wire;
using CoAP.NET.ResourceDirectory;

namespace CoAP.NET.Cli.Discovering;

/// <summary>
/// Lists the resources of a server (RFC 6690, RFC 7252 section 7), of each member of a group, or of a resource directory (RFC 9176 section
/// 6).
/// </summary>
internal static class DiscoverCommand
{
    private const string Core = "/.well-known/core";
    private const string AllNodes = "coap://224.0.1.187";
    private static readonly TimeSpan s_groupTimeout = TimeSpan.FromSeconds(10);

    internal static Command Create(CliContext context)
    {
        Argument<string?> target = new("URI")
        {
            Description = "The server. A path selects the resource, as in coap://directory/rd-lookup/res, otherwise it is "
                + "/.well-known/core, with the query of the URI as a filter. The address of a group addresses all its members.",
            Arity = ArgumentArity.ZeroOrOne,
            HelpName = "URI",
        };
        target.CompletionSources.Add(TargetArgument.Schemes);
        Option<string[]> query = new("--query", "-q")
        {
            Description = "List only links that match, such as rt=temperature* or ct=50; href=/path* for paths. May be repeated: all "
                + "must match.",
            HelpName = "NAME=VALUE"
        };
        Option<bool> multicast = new("--multicast")
        {
            Description = $"Ask all nearby servers: the group All CoAP Nodes, {AllNodes}, unless URI names another one."
        };
        Option<bool> registered = new("--rd")
        {
            Description = "URI is a resource directory: list its registrations (RFC 9176). With --multicast, asks all nearby directories "
                + $"through their group {CoapUri.OriginOf(CoapDirectoryClient.IPv4Group.ToString())}."
        };
        Option<bool> endpoints = new("--endpoints") { Description = "With --rd: list the endpoints, and not their resources." };
        Option<string?> proxy = ProxyArgument.Create();
        Option<bool> json = new("--json") { Description = "Write one JSON object for each server." };
        Option<TimeSpan?> timeout = DurationParser.PositiveOption("--timeout",
            $"Timeout of the answer. Default: as long as the protocol tries ({ProtocolTimes.Transmission}); 10s for groups.", "-B");
        CommandLine.OscoreContextOption oscore =
            new("Protect the request by OSCORE with the context of this file, or of a directory of aiocoap, end to end "
            + "through a proxy. The sequence numbers are next to it.");
        CommandLine.EdhocOption edhoc = new();
        ConnectionOptions connection = new();
        GroupOptions group = new();
        GroupedHelpCommand command = new("discover", "List the resources of a server, as a tree.")
        {
            Examples =
            [
                "coap discover coap://[::1]",
                "coap discover coap://[::1] --query 'rt=temperature*'",
                "coap discover --multicast --interface eth0",
                "coap discover --rd coap://directory.example --endpoints",
            ],
        };
        command.Arguments.Add(target);
        command.AddGroup("Discovery", query, multicast, registered, endpoints);
        command.AddGroup(HelpGroup.Request, proxy, timeout);
        command.AddGroup(HelpGroup.Output, json);
        connection.AddTo(command);
        command.AddGroup(HelpGroup.Security, oscore.Option, edhoc.Option, edhoc.Peer);
        group.AddTo(command);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            bool isDirectory = parse.GetValue(registered);
            if (parse.GetValue(endpoints) && !isDirectory)
            {
                throw new UsageException("--endpoints is for directories.", "Add --rd, or leave it out.");
            }

            string text = parse.GetValue(target)
                ?? (parse.GetValue(multicast)
                    ? isDirectory ? CoapDirectoryClient.IPv4Group.ToString() : AllNodes
                    : throw new UsageException("Which server?", "Give its URI, or --multicast for all nearby servers."));
            CoapUri uri = TargetArgument.Check(text);
            bool isGroup = uri is { HostAddress: { } address, Scheme: "coap" }
                && CoapAddress.FromIPEndPoint(new IPEndPoint(address, 0)).IsMulticast;
            CoapUri? asked = ProxyArgument.Read(parse, proxy);
            if (isGroup && asked is not null)
            {
                throw new UsageException("A proxy does not forward requests to groups.", "Leave out --proxy, or name one server.");
            }

            if (isDirectory && asked is not null)
            {
                throw new UsageException("--rd and --proxy cannot be combined.",
                    "Ask the lookup of the directory by its path, as in coap://directory/rd-lookup/res.");
            }

            if (isGroup && (oscore.IsSet(parse) || edhoc.IsSet(parse)))
            {
                throw new UsageException("OSCORE does not protect requests to groups.",
                    $"Leave out {(oscore.IsSet(parse) ? "--oscore" : "--edhoc")}, or name one server.");
            }

            if (parse.GetValue(multicast) && !isGroup)
            {
                throw new UsageException($"{text} is not a group.", "Leave out --multicast, or give the address of a group.");
            }

            Run run = new(context, parse.GetValue(json), asked, MakeRequest(TargetArgument.Complete(text), parse.GetValue(query) ?? []));
            run.Request.Timeout = parse.GetValue(timeout) ?? (isGroup ? s_groupTimeout : null);
            run.Request.LocalAddress = connection.LocalAddress(parse);
            WireTrace? trace = null;
            WaitProgressLine? line = null;
            EdhocKeyAgreement? keys = null;
            int code;
            CoapClient client = connection.CreateClient(parse, context, asked ?? uri, options =>
            {
                oscore.ApplyTo(parse, context, options, text);
                keys = edhoc.ApplyTo(parse, context, options, text, oscore.IsSet(parse), asked is not null);
                trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), options);
                line = WaitProgressLine.Watch(context, parse, asked ?? uri, options);
            }, sendsOthers: isDirectory || edhoc.IsSet(parse));
            await using (client.ConfigureAwait(false))
            using (line?.Begin(client, run.Request.Timeout, isConfirmable: !isGroup))
            {
                if (keys is not null)
                {
                    await keys.ConnectAsync(client, cancellationToken).ConfigureAwait(false);
                }

                CoapGroupRequestOptions reach = new() { Interface = parse.GetValue(group.Interface), HopLimit = parse.GetValue(group.Ttl) };
                int most = parse.GetValue(group.MaxAnswers) ?? int.MaxValue;
                DirectoryLookupRun directories = new(context, parse.GetValue(json), parse.GetValue(endpoints), parse.GetValue(query) ?? []);
                CoapDirectoryClientOptions search = new()
                {
                    Timeout = run.Request.Timeout ?? new CoapDirectoryClientOptions().Timeout,
                    Group = reach,
                };
                code = isDirectory && isGroup
                    ? await directories.AskGroupAsync(client, uri.ToString(), search, most, cancellationToken).ConfigureAwait(false)
                    : isDirectory
                    ? await directories.AskAsync(client, uri.ToString(), search, cancellationToken).ConfigureAwait(false)
                    : isGroup
                    ? await run.AskGroupAsync(client, reach, most, cancellationToken).ConfigureAwait(false)
                    : await run.AskAsync(client, cancellationToken).ConfigureAwait(false);
            }

            trace?.Summarize();
            return code;
        });
    }

    private static CoapRequest MakeRequest(string uri, string[] queries)
    {
        // The query of a URI without a path is a filter, like those of --query (RFC 6690 section 4.1).
        string origin = CoapUri.OriginOf(uri);
        string rest = uri[origin.Length..];
        string pathAndQuery = rest is "" or "/" or ['?', ..] or ['/', '?', ..] ? Core + rest.TrimStart('/') : rest;
        CoapRequest request = new(CoapMethod.Get, origin + pathAndQuery) { Accept = CoapContentFormat.LinkFormat };
        foreach (string query in queries)
        {
            request.Options.Add(new UriQueryOption(query.Contains('=', StringComparison.Ordinal)
                ? query
                : throw new UsageException($"'{query}' in --query is not a criterion.", "Write NAME=VALUE, such as rt=temperature*.")));
        }

        return request;
    }

    private sealed class Run(CliContext context, bool isJson, CoapUri? proxy, CoapRequest request)
    {
        public CoapRequest Request => request;

        public async Task<int> AskAsync(CoapClient client, CancellationToken cancellationToken)
        {
            CoapResponse response = await client.SendAsync(ProxyRequestFactory.Ask(request, proxy), cancellationToken)
                .ConfigureAwait(false);
            if (response.Code.IsError)
            {
                ErrorAnswer.Write(context, response, request.Uri!.ToString(), "The server does not list its resources.", proxy);
                return ExitCodes.Of(response.Code);
            }

            if (!CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error))
            {
                throw new CoapProtocolException($"The response of {request.Uri} is not a list of links: {error.Message} at byte "
                    + $"{error.Offset}.");
            }

            Show(links, request.Uri!.ToString(), response.Remote.ToString());
            return ExitCodes.Success;
        }

        public async Task<int> AskGroupAsync(CoapClient client, CoapGroupRequestOptions options, int most,
            CancellationToken cancellationToken)
        {
            request.Confirmable = false;
            int left = most;
            await foreach (CoapGroupResponse answer in client.SendToGroupAsync(request, options, cancellationToken).ConfigureAwait(false))
            {
                if (answer.Error is { } failure)
                {
                    FailureReporter.Write(context, $"{answer.Uri}: the rest of the answer did not arrive: {failure.Message}");
                    continue;
                }

                if (answer.Response.Code.IsError)
                {
                    ErrorAnswer.Write(context, answer.Response, answer.Uri.ToString(), "It does not list its resources.");
                    continue;
                }

                if (!CoapLinkFormat.TryParse(answer.Response.Payload.Span, out IReadOnlyList<CoapLink> links,
                    out CoapContentSyntaxError error))
                {
                    FailureReporter.Write(context, $"{answer.Uri}: no list of links: {error.Message} at byte {error.Offset}.");
                    continue;
                }

                Show(links, answer.Uri.ToString(), answer.Response.Remote.ToString());
                if (--left == 0)
                {
                    break;
                }
            }

            if (left == most)
            {
                FailureReporter.Write(context,
                    $"No member of {request.Uri} answered with a list within {request.Timeout!.Value.TotalSeconds:0.###} s.",
                    "Members without a link that matches are silent; --interface chooses the network, --timeout waits longer.");
                return ExitCodes.Timeout;
            }

            return ExitCodes.Success;
        }

        private void Show(IReadOnlyList<CoapLink> links, string baseUri, string peer)
        {
            if (isJson)
            {
                LinkJson.Write(links, baseUri, peer, context.Out);
                return;
            }

            LinkTree.Write(links, baseUri, context.Out);
            if (links.Count == 0)
            {
                context.Error.MarkupLine("The list is empty.");
            }
        }
    }
}

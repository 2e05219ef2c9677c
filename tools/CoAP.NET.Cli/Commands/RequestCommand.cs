using System.CommandLine;
using System.Net;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Files;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Proxying;

namespace CoAP.NET.Cli.Commands;

/// <summary>The commands with the names of the request methods (RFC 7252 section 5.8, RFC 8132).</summary>
internal static class RequestCommand
{
    internal static IEnumerable<Command> CreateAll(CliContext context) =>
    [
        Create(context, CoapMethod.Get, "Get a representation."),
        Create(context, CoapMethod.Put, "Create or replace a resource."),
        Create(context, CoapMethod.Post, "Process the payload, for example to create a resource."),
        Create(context, CoapMethod.Delete, "Delete a resource."),
        Create(context, CoapMethod.Fetch, "Get the representation that the payload selects (RFC 8132)."),
        Create(context, CoapMethod.Patch, "Change a part of a resource (RFC 8132)."),
        Create(context, CoapMethod.IPatch, "Change a part of a resource, idempotently (RFC 8132)."),
    ];

    internal static Command Create(CliContext context, CoapMethod method, string description)
    {
        RequestOptions options = new();
        RepeatOptions repeat = new();
        GroupOptions group = new();
        Option<string?> noResponse = NoResponseParser.Option();
#pragma warning disable CA1308 // command names are in lower case
        GroupedHelpCommand command = new(method.ToString().ToLowerInvariant(), description)
        {
            Examples = ExamplesOf(method),
            Folded = HelpGroup.Rare,
        };
#pragma warning restore CA1308

        // A server ignores the payload of a method that defines none (RFC 7252 section 5.5).
        bool hasPayload = method is not (CoapMethod.Get or CoapMethod.Delete);
        options.AddTo(command, hasPayload, isContinuable: method == CoapMethod.Get);
        command.AddGroup(HelpGroup.Message, noResponse);
        repeat.AddTo(command);
        group.AddTo(command);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            int times = repeat.TimesOf(parse);
            CoapContent? content = hasPayload
                ? await options.Payload.ToRequiredContentAsync(parse, context, times > 1, cancellationToken).ConfigureAwait(false)
                : null;
            NoResponseClasses notWanted = NoResponseParser.Parse(parse.GetValue(noResponse));
            bool isGroup = IsGroup(parse, options);
            await using RequestRun run =
                await RequestRun.BeginAsync(parse, context, options, cancellationToken).ConfigureAwait(false);
            return await repeat.RunAsync(parse, context, () =>
            {
                CoapRequest request = options.ToRequest(parse, method, content);
                if (notWanted != NoResponseClasses.None)
                {
                    request.NoResponse = notWanted;
                }

                return isGroup
                    ? group.SendAsync(run, parse, options, request, cancellationToken)
                    : SendAsync(run, parse, options, request, cancellationToken);
            }, cancellationToken).ConfigureAwait(false);
        });
    }

#pragma warning disable CA1308 // command names are in lower case
    private static string[] ExamplesOf(CoapMethod method) => method switch
    {
        CoapMethod.Get =>
        [
            "coap get coap://[::1]/temperature",
            "coap get coaps://device.example/state --psk-file meter-7.psk --accept cbor",
            "coap get coap://device.example/firmware --output fw.bin --continue",
            "coap get 'coap://[ff02::fd%25eth0]/.well-known/core' --json",
        ],
        CoapMethod.Put =>
        [
            "coap put coap://[::1]/lamp --payload on",
            "coap put coap://[::1]/limits -e '{1: 30, 2: 5.0}' -t cbor",
            "coap put coap://[::1]/firmware --file fw.bin",
        ],
        CoapMethod.Post =>
        [
            "coap post coap://[::1]/devices -e '{\"id\":7}' -t json",
            "tar c . | coap post coap+tcp://[::1]/backup",
            "coap post coap://[::1]/restart --payload ''",
        ],
        CoapMethod.Delete => ["coap delete coap://[::1]/devices/7 --if-match '*'"],
        CoapMethod.Fetch => ["coap fetch coap://[::1]/records -e '[1]' -t cbor"],
        _ => [$"coap {method.ToString().ToLowerInvariant()} coap://[::1]/config -e '{{\"max\":30}}' -t merge-patch"],
    };
#pragma warning restore CA1308

    private static async Task<int> SendAsync(RequestRun run, ParseResult parse, RequestOptions options, CoapRequest request,
        CancellationToken cancellationToken)
    {
        string uri = parse.GetRequiredValue(options.Target);
        string? path = options.Output.PathOf(parse) is { } given and not "-" ? given : null;
        await using OutputFile? file = path is null
            ? null
            : await options.OpenFileAsync(parse, run.Context, OutputPath.Of(path), request, cancellationToken).ConfigureAwait(false);
        request.Destination = file?.Stream;
        request.Download = file?.Rest ?? request.Download;
        (long started, long retransmissions) = (run.Context.TimeProvider.GetTimestamp(), run.Retransmissions);
        CoapResponse? response;
        using (IDisposable? waiting = run.Waiting?.Begin(run.Client, request.Timeout, request.Confirmable))
        await using (
            TransferProgressBar? bar = GlobalOptions.VerbosityOf(parse) == 0 ? TransferProgressBar.For(run.Context, waiting) : null)
        {
            file?.Bar = bar;
            request.Progress = file is null ? bar : file;
            CoapUri? proxy = options.Message.ProxyOf(parse);
            try
            {
                response = await AskAsync(run, request, proxy, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapProtocolException exception) when (file?.Rest is not null && exception.Error == CoapError.RepresentationChanged)
            {
                response = await AskFromStartAsync().ConfigureAwait(false);
            }

            if (file?.Rest is not null && response?.Code == CoapCode.BadRequest)
            {
                // To a block behind the end: the resource is shorter now (RFC 7959 section 2.4).
                response = await AskFromStartAsync().ConfigureAwait(false);
            }

            Task<CoapResponse?> AskFromStartAsync()
            {
                file.Restart();
                request.Download = null;
                return AskAsync(run, request, proxy, cancellationToken);
            }
        }

        // 2.03 has no payload: it validates the existing file (RFC 7252 section 5.9.1.3).
        bool isKept = file is not null && response is { IsSuccess: true } && response.Code != CoapCode.Valid;
        ResponseDetails facts = run.FactsOf(request.Method, uri, started, retransmissions, isKept ? path : null);
        if (response is null)
        {
            run.Context.Error.MarkupLine("No response arrived: the server sends only responses that the client wants.");
            return ExitCodes.Success;
        }

        if (isKept)
        {
            await file!.CommitAsync(cancellationToken).ConfigureAwait(false);
            facts = facts with { FileLength = file.Length };
        }

        return run.Printer.Print(response, facts);
    }

    private static async Task<CoapResponse?> AskAsync(
        RequestRun run, CoapRequest request, CoapUri? proxy, CancellationToken cancellationToken)
    {
        // A server that suppresses unwanted responses is silent, which means success.
        NoResponseClasses notWanted = request.NoResponse;
        CoapRequest sent = ProxyRequestFactory.Ask(request, proxy);
        return notWanted is NoResponseClasses.None or NoResponseClasses.All
            ? await run.Client.SendAsync(sent, cancellationToken).ConfigureAwait(false)
            : await run.Client.SendAsync(sent, notWanted, cancellationToken).ConfigureAwait(false);
    }

    private static bool IsGroup(ParseResult parse, RequestOptions options) =>
        options.Message.PeerOf(parse, parse.GetRequiredValue(options.Target)) is
        {
            HostAddress: { } address,
            Scheme: "coap"
        }
        && CoapAddress.FromIPEndPoint(new IPEndPoint(address, 0)).IsMulticast;
}

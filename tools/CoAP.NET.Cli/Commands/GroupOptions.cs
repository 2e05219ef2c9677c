using System.CommandLine;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Output;
using Spectre.Console;

namespace CoAP.NET.Cli.Commands;

/// <summary>Requests to groups (RFC 7252 section 8), for URIs with a multicast address.</summary>
internal sealed class GroupOptions
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(10);

    public Option<string?> Interface { get; } = new("--interface")
    {
        Description = "Groups: the network interface to send from, by name or index.",
        HelpName = "NAME"
    };

    public Option<int?> Ttl { get; } = CommandExtensions.Number("--ttl", "Groups: maximum number of routers that the request "
        + "passes.", 1, 255);

    public Option<int?> MaxAnswers { get; } = CommandExtensions.Number("--max-answers", "Groups: end after this number of "
        + "answers.", 1, 1_000_000);

    public void AddTo(GroupedHelpCommand command) => command.AddGroup(HelpGroup.Multicast, Interface, Ttl, MaxAnswers);

    /// <summary>Sends a request to a group and shows each answer with its sender.</summary>
    public async Task<int> SendAsync(RequestRun run, ParseResult parse, RequestOptions options, CoapRequest request,
        CancellationToken cancellationToken)
    {
        if (options.Output.PathOf(parse) is not (null or "-"))
        {
            throw new UsageException("--output takes one answer, but a group returns several.",
                "Use --json, or ask a member by its own address.");
        }

        request.Confirmable = false;
        request.Timeout ??= s_timeout;
        CoapGroupRequestOptions groupOptions = new() { Interface = parse.GetValue(Interface), HopLimit = parse.GetValue(Ttl) };
        long started = run.Context.TimeProvider.GetTimestamp();
        int left = parse.GetValue(MaxAnswers) ?? int.MaxValue;
        int code = ExitCodes.Timeout;
        using IDisposable? waiting = run.Waiting?.Begin(run.Client, request.Timeout, isConfirmable: false);
        await foreach (CoapGroupResponse answer in run.Client.SendToGroupAsync(request, groupOptions, cancellationToken)
            .ConfigureAwait(false))
        {
            ResponseDetails facts = run.FactsOf(request.Method, answer.Uri.ToString(), started, run.Retransmissions);
            if (run.Printer.Style != PayloadStyle.Json)
            {
                run.Context.Out.MarkupLine(
                    $"[bold]{Markup.Escape(answer.Uri.ToString())}[/] {Markup.Escape(answer.Response.Code.ToString())}");
            }

            int one = run.Printer.Print(answer.Response, facts);
            if (!answer.Response.Payload.IsEmpty)
            {
                run.Printer.EndLine(answer.Response);
            }

            if (answer.Error is { } error)
            {
                FailureReporter.Write(run.Context, $"{answer.Uri}: the rest of the answer did not arrive: {error.Message}");
                one = FailureReporter.Judge(error).Code;
            }

            code = code is ExitCodes.Timeout or ExitCodes.Success ? one : code;
            if (--left == 0)
            {
                break;
            }
        }

        if (code == ExitCodes.Timeout)
        {
            FailureReporter.Write(
                run.Context,
                $"No member of {request.Uri} answered within {request.Timeout!.Value.TotalSeconds:0.###} s.",
                "Members may keep back errors and empty answers; --interface chooses the network, --timeout waits longer.");
        }

        return code;
    }
}

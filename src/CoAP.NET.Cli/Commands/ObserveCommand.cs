using System.CommandLine;
using System.Globalization;
using System.Threading.Channels;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Output;
using Spectre.Console;

namespace CoAP.NET.Cli.Commands;

/// <summary>Shows a resource each time it changes (RFC 7641).</summary>
internal static class ObserveCommand
{
    // A terminal is slower than a server can be; what it cannot keep up with is left out, oldest first.
    private const int MaxWaiting = 10_000;

    internal static Command Create(CliContext context)
    {
        RequestOptions options = new();
        Option<int?> count = CommandExtensions.Number("--count", "End after so many notifications, the first response among them.", 1, int.MaxValue);
        Option<TimeSpan?> duration = Durations.Option("--duration", "End after this time. Default: with Ctrl-C.", "-s");
        Command command = new("observe", "Show a resource now and each time it changes; with a payload by FETCH.");
        options.AddTo(command, hasFile: false);
        command.Options.Add(count);
        command.Options.Add(duration);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            CoapContent? content = await options.Payload.ToContentAsync(parse, context, isRepeated: true, cancellationToken).ConfigureAwait(false);
            CoapRequest request = options.ToRequest(parse, content is null ? CoapMethod.Get : CoapMethod.Fetch, content);
            using CancellationTokenSource time = new(parse.GetValue(duration) ?? Timeout.InfiniteTimeSpan, context.TimeProvider);
            using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
            await using RequestRun run = RequestRun.Begin(parse, context, options);
            try
            {
                return await ObserveAsync(run, request, parse.GetRequiredValue(options.Target), parse.GetValue(count) ?? int.MaxValue, both.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (time.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
            {
                return ExitCodes.Success;
            }
        });
    }

    private static async Task<int> ObserveAsync(RequestRun run, CoapRequest request, string uri, int count, CancellationToken cancellationToken)
    {
        Channel<CoapResponse> came = Channel.CreateBounded<CoapResponse>(new BoundedChannelOptions(MaxWaiting) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });
        CoapObserveOptions observing = new() { OnNotification = response => came.Writer.TryWrite(response) };
        long since = run.Context.TimeProvider.GetTimestamp();
        long retransmissions = run.Retransmissions;
        await using CoapObservation observation = await run.Client.ObserveAsync(request, observing, cancellationToken).ConfigureAwait(false);
        observation.StateChanged += (_, state) => OnState(state);
        OnState(observation.State);
        int code = ExitCodes.Success;
        for (int i = 0; i < count && await came.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false); i++)
        {
            CoapResponse response = await came.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            ResponseFacts facts = run.FactsOf(request.Method, uri, since, retransmissions);
            since = run.Context.TimeProvider.GetTimestamp();
            retransmissions = run.Retransmissions;
            Show(run, response, facts);
            code = ExitCodes.Of(response.Code);
        }

        return code;

        void OnState(CoapObserveState state)
        {
            string? why = observation.Error?.Message;
            switch (state)
            {
                case CoapObserveState.NotObserving:
                    Failures.Write(run.Context, $"{uri} cannot be observed: the server answered without Observe.", "It is asked again now and then; Ctrl-C ends.");
                    break;
                case CoapObserveState.Stale when why is null && !run.IsVerbose:
                    // A notification that comes a moment after Max-Age is nothing to tell of; registering again is.
                    break;
                case CoapObserveState.Stale or CoapObserveState.Reregistering:
                    Failures.Write(run.Context, state == CoapObserveState.Stale ? "What came last may be out of date." : "Registering again.", why);
                    break;
                case CoapObserveState.Failed:
                    came.Writer.TryComplete(observation.Error);
                    break;
                default:
                    break;
            }
        }
    }

    private static void Show(RequestRun run, CoapResponse response, ResponseFacts facts)
    {
        if (run.Printer.Style == PayloadStyle.Pretty)
        {
            string observe = response.Options.Observe is { } number ? string.Create(CultureInfo.InvariantCulture, $"  #{number}") : "";
            run.Context.Out.MarkupLine($"[grey]{facts.Time.ToLocalTime().ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture)}  {Markup.Escape(response.Code.ToString())}{observe}[/]");
        }

        run.Printer.Print(response, facts);
        if (run.Printer.Style == PayloadStyle.Raw)
        {
            // One after another, and each on a line of its own.
            run.Context.Out.Writer.WriteLine();
        }
    }
}

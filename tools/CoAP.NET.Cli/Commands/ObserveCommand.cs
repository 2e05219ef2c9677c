using System.CommandLine;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Commands;

/// <summary>Shows a resource and its changes (RFC 7641).</summary>
internal static class ObserveCommand
{
    internal static Command Create(CliContext context)
    {
        RequestOptions options = new();
        Option<int?> count = CommandExtensions.Number("--count", "End after this number of notifications, including the first "
            + "response.", 1,
            int.MaxValue);
        Option<TimeSpan?> duration = DurationParser.Option("--duration", "End after this time. Default: with Ctrl-C.", "-s");
        Option<bool> keepTrying = new("--keep-trying")
        {
            Description = "Repeat the request after error responses, and if no server answers at first, instead of ending with their "
                + "exit code.",
        };
        GroupedHelpCommand command = new("observe", "Show a resource now and each time it changes; with a payload by FETCH.")
        {
            Examples =
            [
                "coap observe coap://[::1]/temperature",
                "coap observe coap://[::1]/temperature --count 5",
                "coap observe coap://[::1]/temperature --duration 1m --json",
            ],
            Folded = HelpGroup.Rare,
        };
        command.AddGroup("Observation", count, duration, keepTrying);
        options.AddTo(command, hasFile: false);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            CoapContent? content = await options.Payload.ToContentAsync(parse, context, isRepeated: true, cancellationToken)
                .ConfigureAwait(false);
            CoapRequest request = options.ToRequest(parse, content is null ? CoapMethod.Get : CoapMethod.Fetch, content);
            using CancellationTokenSource time = new(parse.GetValue(duration) ?? Timeout.InfiniteTimeSpan, context.TimeProvider);
            using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
            await using RequestRun run =
                await RequestRun.BeginAsync(parse, context, options, both.Token).ConfigureAwait(false);
            string uri = parse.GetRequiredValue(options.Target);
            ObserveRun observing = new(run, request, uri, parse.GetValue(count) ?? int.MaxValue, parse.GetValue(keepTrying));
            try
            {
                return await observing.RunAsync(both.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (time.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
            {
                if (observing.Code == ExitCodes.Timeout)
                {
                    FailureReporter.Write(context, $"{uri} did not answer before the time of --duration was over.",
                        "Allow more time; -v shows each attempt.");
                }

                return observing.Code;
            }
        });
    }
}

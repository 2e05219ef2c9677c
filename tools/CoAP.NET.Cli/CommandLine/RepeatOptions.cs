using System.CommandLine;

namespace CoAP.NET.Cli.CommandLine;

internal sealed class RepeatOptions
{
    public Option<int?> Repeat { get; } = CommandExtensions.Number("--repeat", "Number of times to send the request. Default 1.", 1,
        int.MaxValue, "-G");

    public Option<TimeSpan?> Interval { get; } = DurationParser.Option("--interval", "The interval with --repeat. Default 1s.");

    public void AddTo(GroupedHelpCommand command) => command.AddGroup(HelpGroup.Repetition, Repeat, Interval);

    public int TimesOf(ParseResult parse) => parse.GetValue(Repeat) ?? 1;

    /// <summary>Repeats an action. A failure does not prevent the other attempts.</summary>
    /// <returns>The exit code of the last failure; success without one.</returns>
    public async Task<int> RunAsync(ParseResult parse, CliContext context, Func<Task<int>> once, CancellationToken cancellationToken)
    {
        int times = TimesOf(parse);
        TimeSpan interval = parse.GetValue(Interval) ?? TimeSpan.FromSeconds(1);
        int code = ExitCodes.Success;
        for (int i = 0; i < times; i++)
        {
            if (i > 0 && interval > TimeSpan.Zero)
            {
                await Task.Delay(interval, context.TimeProvider, cancellationToken).ConfigureAwait(false);
            }

            int result;
            try
            {
                result = await once().ConfigureAwait(false);
            }
            catch (CoapException exception) when (times > 1)
            {
                result = FailureReporter.Report(context, parse, exception);
            }

            code = result == ExitCodes.Success ? code : result;
        }

        return code;
    }
}

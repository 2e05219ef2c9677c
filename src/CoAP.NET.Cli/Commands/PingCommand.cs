using System.CommandLine;
using System.Globalization;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Commands;

/// <summary>Asks whether a peer is there (RFC 7252 section 4.3, RFC 8323 section 5.4).</summary>
internal static class PingCommand
{
    internal static Command Create(CliContext context)
    {
        Argument<string> target = TargetArgument.Create();
        Option<int?> count = CommandExtensions.Number("--count", "How often. Default 1.", 1, int.MaxValue, "-G", "--repeat");
        Option<TimeSpan?> interval = Durations.Option("--interval", "The time between two. Default 1s.");
        ConnectionOptions connection = new();
        Command command = new("ping", "Ask a peer whether it is there, by a CoAP Ping; tells the round-trip time.") { target, count, interval };
        connection.AddTo(command);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            string uri = parse.GetRequiredValue(target);
            int times = parse.GetValue(count) ?? 1;
            await using CoapClient client = connection.CreateClient(parse, context);
            for (int i = 0; i < times; i++)
            {
                if (i > 0)
                {
                    await Task.Delay(parse.GetValue(interval) ?? TimeSpan.FromSeconds(1), context.TimeProvider, cancellationToken).ConfigureAwait(false);
                }

                TimeSpan time = await client.PingAsync(uri, cancellationToken).ConfigureAwait(false);
                context.Out.Writer.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{uri} answered in {time.TotalMilliseconds:0.00} ms"));
            }

            return ExitCodes.Success;
        });
    }
}

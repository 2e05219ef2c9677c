using System.CommandLine;
using System.Globalization;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Wire;

namespace CoAP.NET.Cli.Commands;

/// <summary>Checks whether a peer answers (RFC 7252 section 4.3, RFC 8323 section 5.4).</summary>
internal static class PingCommand
{
    internal static Command Create(CliContext context)
    {
        Argument<string> target = TargetArgument.Create();
        RepeatOptions repeat = new();
        Option<TimeSpan?> timeout = DurationParser.PositiveOption("--timeout",
            $"Timeout of each answer. Default: as long as the protocol tries ({ProtocolTimes.Transmission}).", "-B");
        ConnectionOptions connection = new();
        GroupedHelpCommand command = new("ping", "Check with a CoAP Ping whether a peer answers; shows the round-trip time.")
        {
            Examples = ["coap ping coap://device.example", "coap ping coaps://device.example --psk-file meter-7.psk --repeat 10"],
        };
        command.Arguments.Add(target);
        command.AddGroup(HelpGroup.Request, timeout);
        repeat.AddTo(command);
        connection.AddTo(command);
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            CoapUri uri = TargetArgument.Check(parse.GetRequiredValue(target));
            string peer = $"{uri.Scheme}://{uri.Authority}";
            List<double> times = [];
            WireTrace? trace = null;
            WaitProgressLine? line = null;
            int code;
            CoapClient client = connection.CreateClient(parse, context, uri, options =>
            {
                trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), options);
                line = WaitProgressLine.Watch(context, parse, uri, options);
            }, sendsOthers: true);
            await using (client.ConfigureAwait(false))
            {
                code = await repeat.RunAsync(parse, context, async () =>
                {
                    TimeSpan? most = parse.GetValue(timeout);
                    TimeSpan time;
                    using (line?.Begin(client, most))
                    {
                        time = await client.PingAsync(peer, most, cancellationToken).ConfigureAwait(false);
                    }

                    double taken = time.TotalMilliseconds;
                    times.Add(taken);
                    context.Out.Writer.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{peer} answered in {taken:0.00} ms"));
                    return ExitCodes.Success;
                }, cancellationToken).ConfigureAwait(false);
            }

            if (repeat.TimesOf(parse) > 1)
            {
                context.Out.Writer.WriteLine(
                    string.Create(CultureInfo.InvariantCulture, $"{repeat.TimesOf(parse)} sent, {times.Count} answered")
                        + (times.Count == 0
                            ? ""
                            : string.Create(CultureInfo.InvariantCulture,
                                $"; minimum {times.Min():0.00} ms, mean {times.Average():0.00} ms, maximum {times.Max():0.00} ms")));
            }

            trace?.Summarize();
            return code;
        });
    }
}

// Measures how quick the library is on this machine, and prints the tables of docs/benchmarks/speed.md.
using CoAP.NET.Speed;
using CoAP.NET.Speed.Broadcast;
using CoAP.NET.Speed.Engines;
using CoAP.NET.Speed.Floor;
using CoAP.NET.Speed.Report;
using CoAP.NET.Speed.Rows;
using CoAP.NET.Speed.Servers;
using CoAP.NET.Speed.SlowSenders;

const string Usage = """
    usage: CoAP.NET.Speed [OPTION]...      measures and prints tables; Linux, loopback, processors 0 (what is measured) and 1 (the rest)
           CoAP.NET.Speed --self-check     only tries all rows, small and short; exit code 1 when something goes wrong
           CoAP.NET.Speed engines --help                     the ways to drive TCP connections, compared and measured
           CoAP.NET.Speed slow-senders --help                what slow and stalled peers cost
           CoAP.NET.Speed broadcast --help                   a chat over TCP: every message goes to every client
           CoAP.NET.Speed floor [--port P] [--tcp] [--any]   only serves, without any protocol; --any: at all addresses of 127/8
           CoAP.NET.Speed http [--port P]                    only serves the same by HTTP
           CoAP.NET.Speed oscore [--port P] [--contexts N]   only a server with OSCORE, and a security context for each of N clients
           CoAP.NET.Speed proxy [--port P]                   only a forward proxy for servers of this machine
           CoAP.NET.Speed http-proxy [--port P] [--cache]    only a proxy from HTTP to them
           CoAP.NET.Speed dashboard                          only a hosted server with a dashboard
           CoAP.NET.Speed pubsub [--port P]                  only a broker of topics
      --rows LIST       udp, udp-1, udp-16, udp-128, udp-1024, udp-10000, portable, portable-16, portable-128, shards, shards-tcp, open-20000, tcp, tcp-16, tcp-128, tcp-1024, tcp-16x16,
                        observe, observe-100, observe-1000, observe-10000, observe-non-100, observe-portable-100, pubsub-10000, fan-in-100000, client-128, http, http-200,
                        http-1000,
                        coaps, coaps-16, coaps-128, handshakes, strangers, tls, tls-16, tls-128, tls-1024, oscore, oscore-16, oscore-128,
                        dashboard, dashboard-16, dashboard-1024,
                        proxy, proxy-16, proxy-128, proxy-cached-16, proxy-cached-128, proxy-http-128
      --pairs N         turns of each (5)
      --seconds N       of a turn (2; at most 20)
      --warm-up N       seconds before the first turn (2)
      --quick           one turn of one second, warm-up of one
      --server PATH     another server than that of samples/Server, with the same resources
      --without-libcoap even if its coap-server-notls and coap-server-openssl are on the PATH
      --californium CP  Californium takes part in the rows of UDP and of Confirmable notifications: the class path of its jars for "java"
      --own-sockets     a socket for each endpoint, in place of an address for each over few sockets
      --write FILE      the tables into a file as well; between the lines "<!-- begin speed -->" and "<!-- end speed -->" of one that has them
     rows "shards": one server for each number of shards, which has a processor for each; they take turns
      --shards LIST              numbers of shards, 1 to 64 (1,2,4 ... up to the number of processors)
      --server-processors LIST   the server has the first of them, one for each shard (all)
      --load-processors LIST     a loop of the load on each (the second half of all)
      --pin-shards               each shard keeps to a processor of its own
    """;
const int FewPeers = 16;
const int LongestTurn = 20;
// Numbers are written and read alike on every machine.
CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;

if (args is ["--help" or "-h", ..])
{
    Console.WriteLine(Usage);
    return 0;
}

if (!OperatingSystem.IsLinux())
{
    Console.Error.WriteLine("This program measures on Linux only.");
    return 2;
}

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
AppDomain.CurrentDomain.ProcessExit += (_, _) => Child.KillAll();
try
{
    return args switch
    {
        [FloorServer.Verb, ..] => FloorServer.Run(args[1..]),
        [HttpServer.Verb, ..] => await HttpServer.RunAsync(args[1..]),
        [ClientProgram.Verb, ..] => await ClientProgram.RunAsync(args[1..]),
        [FanInProgram.Verb, ..] => await FanInProgram.RunAsync(args[1..]),
        [NotifierServer.Verb, ..] => NotifierServer.Run(args[1..]),
        [OscoreProgram.Verb, ..] => await OscoreProgram.RunAsync(args[1..]),
        [DashboardProgram.Verb, ..] => await DashboardProgram.RunAsync(args[1..]),
        [PubSubProgram.Verb, ..] => await PubSubProgram.RunAsync(args[1..]),
        [ProxyProgram.Verb, ..] => await ProxyProgram.RunAsync(args[1..]),
        [HttpProxyProgram.Verb, ..] => await HttpProxyProgram.RunAsync(args[1..]),
        [BenchServer.Verb, ..] => await BenchServer.RunAsync(args[1..]),
        [EnginesProgram.Verb, ..] => EnginesProgram.Run(args[1..]),
        [BroadcastProgram.Verb, ..] => BroadcastProgram.Run(args[1..]),
        [SlowSendersProgram.Verb, ..] => SlowSendersProgram.Run(args[1..]),
        _ => Measure(),
    };
}
catch (Exception exception)
    when (exception is ArgumentException or InvalidOperationException or IOException or TimeoutException or CoAP.NET.CoapException
        or System.ComponentModel.Win32Exception)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}
finally
{
    Child.KillAll();
}

int Measure()
{
    Arguments arguments = Arguments.Parse(
        args,
        ["--rows", "--pairs", "--seconds", "--warm-up", "--server", "--write", "--californium", .. ScalingPlan.Values],
        ["--quick", "--self-check", "--own-sockets", "--without-libcoap", ScalingPlan.PinSwitch]);
    bool isCheck = arguments.Has("--self-check");
    ScalingPlan plan = ScalingPlan.Parse(arguments, Processor.Available(), isCheck);
    bool isQuick = arguments.Has("--quick");
    int pairs = isCheck ? 1 : arguments.Number("--pairs", isQuick ? 1 : 5);
    double seconds = isCheck ? 0.2 : Math.Clamp(arguments.Number("--seconds", isQuick ? 1 : 2), 1, LongestTurn);
    using CoapServers servers = new(arguments.Has("--server") ? arguments.Text("--server", "") : null,
        isCheck || arguments.Has("--without-libcoap"), arguments.Has("--californium") ? arguments.Text("--californium", "") : null);
    RowList list = new(servers, isCheck ? FewPeers : int.MaxValue, arguments.Has("--own-sockets"),
        new ScalingRows(servers, plan));
    Measurement measurement = new(pairs, seconds, isCheck ? 0.05 : arguments.Number("--warm-up", isQuick ? 1 : 2));
    Processors.Pin(Processors.Other);
    List<(Row Row, IReadOnlyList<Outcome> Outcomes)> results = [];
    foreach (Row row in list.Choose(arguments.Texts("--rows", [])))
    {
        Console.Error.WriteLine($"{row.Name}: {row.Title}");
        results.Add((row, measurement.Measure(row)));
    }

    string text = MarkdownReport.Write(results, pairs, seconds);
    Console.Write(text);
    if (arguments.Has("--write"))
    {
        WrittenText.Write(arguments.Text("--write", ""), "speed", text);
    }

    // What others get wrong is their affair, but not what is measured.
    bool isRight = true;
    foreach ((Row row, IReadOnlyList<Outcome> outcomes) in results)
    {
        foreach (Outcome outcome in outcomes.Where(IsWrong))
        {
            isRight = false;
            Console.Error.WriteLine($"WRONG {row.Name}, {outcome.Entrant.Name}: "
                + (outcome.Failure ?? $"{outcome.Errors} wrong answers, {outcome.Runs.Count(run => run.PerSecond == 0)} turns without any"));
        }
    }

    return isRight ? 0 : 1;

    // How much is lost, and how much is answered in a turn, depends on what else the machine does.
    static bool IsWrong(Outcome outcome) => outcome.Entrant.Role is not (Role.LibCoap or Role.Californium)
        && (outcome.Failure is not null || outcome.Errors > 0 || outcome.Runs.Any(run => run.PerSecond == 0));
}

void End(PosixSignalContext context)
{
    context.Cancel = true;
    Child.KillAll();
    Environment.Exit(130);
}

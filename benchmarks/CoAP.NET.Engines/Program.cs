// Compares the ways to drive TCP connections: the inline engine, the asynchronous one, and a thread for each connection.
using CoAP.NET.Bench;
using CoAP.NET.Engines;

const string Usage = """
    usage: CoAP.NET.Engines [OPTION]...     compares, then measures; Linux, loopback, processors 0 (server) and 1 (load)
           CoAP.NET.Engines --self-check    only compares: the same requests to all engines, byte for byte; exit code 1 when they differ
      --engines LIST       inline,async,blocking
      --connections LIST   1,16,128,1024,10000
      --seconds N          for each figure (3)
      --quick              1,16 connections, one second
      --coapload PATH      a load generator for connections that stay, in place of the built-in one
    """;
string[] engines = ["inline", "async", "blocking"];
if (args is ["--help" or "-h", ..])
{
    Console.WriteLine(Usage);
    return 0;
}

try
{
    if (args is [BenchServer.Verb, ..])
    {
        return await BenchServer.RunAsync(args);
    }

    Arguments arguments = Arguments.Parse(args, ["--engines", "--connections", "--seconds", "--coapload"], ["--quick", "--self-check"]);
    engines = arguments.Texts("--engines", engines);
    bool areEqual = Comparison.Run(engines);
    if (!arguments.Has("--self-check"))
    {
        bool isQuick = arguments.Has("--quick");
        Measurement measurement = new(arguments.Number("--seconds", isQuick ? 1 : 3), arguments.Text("--coapload", ""));
        measurement.Run(engines, arguments.Numbers("--connections", isQuick ? [1, 16] : [1, 16, 128, 1024, 10_000]));
    }

    return areEqual ? 0 : 1;
}
catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or TimeoutException or CoAP.NET.CoapException)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}

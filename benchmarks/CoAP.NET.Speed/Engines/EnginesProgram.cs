namespace CoAP.NET.Speed.Engines;

/// <summary>
/// Compares the ways to drive TCP connections: the inline engine, the asynchronous one, and a thread for each connection: <c>engines</c>.
/// </summary>
internal static class EnginesProgram
{
    public const string Verb = "engines";

    private const string Usage = """
        usage: CoAP.NET.Speed engines [OPTION]...     compares, then measures; Linux, loopback, processors 0 (server) and 1 (load)
               CoAP.NET.Speed engines --self-check    only compares: the same requests to all engines, byte for byte; exit code 1 when they differ
          --engines LIST       inline,async,blocking
          --connections LIST   1,16,128,1024,10000
          --seconds N          for each figure (3)
          --quick              1,16 connections, one second
          --coapload PATH      a load generator for connections that stay, in place of the built-in one
        """;

    public static int Run(string[] args)
    {
        if (args is ["--help" or "-h", ..])
        {
            Console.WriteLine(Usage);
            return 0;
        }

        Arguments arguments = Arguments.Parse(args, ["--engines", "--connections", "--seconds", "--coapload"], ["--quick", "--self-check"]);
        string[] engines = arguments.Texts("--engines", ["inline", "async", "blocking"]);
        bool areEqual = Comparison.Run(engines);
        if (!arguments.Has("--self-check"))
        {
            bool isQuick = arguments.Has("--quick");
            EngineMeasurement measurement = new(arguments.Number("--seconds", isQuick ? 1 : 3), arguments.Text("--coapload", ""));
            measurement.Run(engines, arguments.Numbers("--connections", isQuick ? [1, 16] : [1, 16, 128, 1024, 10_000]));
        }

        return areEqual ? 0 : 1;
    }
}

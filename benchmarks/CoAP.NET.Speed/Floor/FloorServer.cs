namespace CoAP.NET.Speed.Floor;

/// <summary>The floor as a program: <c>floor --port 0 [--tcp] [--any] [--stale]</c>.</summary>
internal static class FloorServer
{
    public const string Verb = "floor";

    public static int Run(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port"], ["--tcp", "--any", "--stale", Child.WithParent]);
        bool isTcp = arguments.Has("--tcp");
        bool isAny = arguments.Has("--any");
        IPEndPoint local = new(isAny ? IPAddress.Any : IPAddress.Loopback, arguments.Number("--port", 0));
        int socket = isTcp ? StreamFloor.Open(local) : DatagramFloor.Open(local);
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{(isTcp ? "coap+tcp" : "coap")}://{local.Address}:{Raw.Native.PortOf(socket)}");
        if (isTcp)
        {
            StreamFloor.Serve(socket);
        }
        else
        {
            DatagramFloor.Serve(socket, isAny, arguments.Has("--stale"));
        }

        return 0;
    }
}

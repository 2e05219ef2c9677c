using System.Net.Sockets;

namespace CoAP.NET.Speed.Servers;

/// <summary>The servers that are measured, as processes.</summary>
/// <param name="path">The path of our server; null for the one of the samples.</param>
/// <param name="isAlone">Whether only our own ones are wanted, and Californium if it is named.</param>
/// <param name="californium">The class path of Californium, with SLF4J; null for none.</param>
/// <exception cref="ArgumentException">A file of the class path is not there.</exception>
internal sealed class CoapServers(string? path, bool isAlone, string? californium = null) : IDisposable
{
    private const string CaliforniumProgram = "CaliforniumServer.java";

    private const string SecureLibCoapProgram = "coap-server-openssl";
    private const string LibCoapProgram = "coap-server-notls";

    private readonly string? _secureLibCoap = isAlone ? null : FindOnPath(SecureLibCoapProgram);
    private SecureFiles? _files;
    private readonly string _path = path ?? FindServer();
    private readonly string? _libCoap = isAlone ? null : FindOnPath(LibCoapProgram);

    private readonly string? _californium = CheckClassPath(californium);

    public bool HasCalifornium => _californium is not null;

    public bool HasLibCoap => _libCoap is not null;

    /// <summary>Starts our server: its endpoints are that of UDP and that of TCP.</summary>
    public Child StartOurs() => StartOurs("--bind", "coap://127.0.0.1:0", "--bind", "coap+tcp://127.0.0.1:0");

    /// <summary>Starts our server with the engine that other systems than Linux have; its endpoints are the same.</summary>
    public Child StartPortable() =>
        StartOurs("--udp-engine", "portable", "--bind", "coap://127.0.0.1:0", "--bind", "coap+tcp://127.0.0.1:0");

    /// <summary>Starts our server with several shards; its endpoints are that of UDP and that of TCP.</summary>
    /// <param name="shards">How many shards it has.</param>
    /// <param name="processors">The processors it is kept on.</param>
    public Child StartSharded(int shards, int[] processors) => StartOurs(processors, 2,
        "--shards", shards.ToString(), "--bind", "coap://127.0.0.1:0", "--bind", "coap+tcp://127.0.0.1:0");

    private Child StartOurs(params string[] binds) => StartOurs(Processors.Measured, 2, binds);

    private Child StartOurs(int[] processors, int endpoints, params string[] arguments) => _path.EndsWith(".dll", StringComparison.Ordinal)
        ? Child.StartOther(processors, endpoints, "dotnet", [_path, .. arguments])
        : Child.StartOther(processors, endpoints, _path, arguments);

    /// <summary>Starts libcoap's server, of which resources are made by putting something there.</summary>
    /// <param name="isNonConfirmable">Whether its notifications are.</param>
    public (Child Child, IPEndPoint Endpoint) StartLibCoap(bool isNonConfirmable = false) =>
        StartLibCoap(_libCoap!, isNonConfirmable ? ["-N"] : []);

    /// <summary>Starts Californium's server (Java 17 or later); its endpoint is that of UDP.</summary>
    /// <param name="deduplicator">The name of its deduplicator; null for the one that it has by itself.</param>
    public Child StartCalifornium(string? deduplicator = null) => Child.StartOther(
        Processors.Measured, 1, "java",
        [
            "-cp", _californium!, Path.Combine(AppContext.BaseDirectory, "Californium", CaliforniumProgram),
            .. deduplicator is null ? (string[])[] : [deduplicator],
        ]);

    /// <summary>Starts libcoap's server as a proxy that asks servers directly; its own name is one that nobody asks for.</summary>
    public (Child Child, IPEndPoint Endpoint) StartLibCoapProxy() => StartLibCoap(_libCoap!, ["-P", ",proxy.example"]);

    private static (Child Child, IPEndPoint Endpoint) StartLibCoap(string program, string[] more)
    {
        int port = FreePort();

        // It says nothing when it is ready.
        Child child = Child.StartOther(
            Processors.Measured, 0, program,
            ["-A", "127.0.0.1", "-p", port.ToString(), "-d", "10", "-v", "0", .. more]);
        try
        {
            IPEndPoint endpoint = new(IPAddress.Loopback, port);
            Put(endpoint, "hello", "hello world!");
            return (child, endpoint);
        }
        catch
        {
            child.Dispose();
            throw;
        }
    }

    private static void Put(IPEndPoint endpoint, string path, string payload)
    {
        const int Tries = 50;
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveTimeout = 100 };
        socket.Connect(endpoint);
        byte[] answer = new byte[1500];
        for (ushort i = 1; i <= Tries; i++)
        {
            CoapMessage message = new(CoapCode.Put)
            {
                Type = CoapMessageType.Confirmable,
                MessageId = i,
                Payload = Encoding.UTF8.GetBytes(payload)
            };
            message.Options.Add(new UriPathOption(path)).Add(new ContentFormatOption(CoapContentFormat.TextPlain));
            try
            {
                socket.Send(CoapDatagramSerializer.Default.Serialize(message));
                int length = socket.Receive(answer);
                if (CoapDatagramSerializer.Default.Deserialize(answer.AsSpan(0, length)).Code.Class == 2)
                {
                    return;
                }
            }
            catch (SocketException)
            {
                // It is not ready yet. A refusal comes at once: waiting for an answer that cannot come is what passes the time.
                using Socket none = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
                none.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                none.Poll(TimeSpan.FromMilliseconds(100), SelectMode.SelectRead);
            }
        }

        throw new InvalidOperationException($"libcoap's server does not take a PUT at {endpoint}.");
    }

    // Java says of a file that is not there only that it does not know the classes in it.
    private static string? CheckClassPath(string? classPath) =>
        classPath?.Split(Path.PathSeparator).FirstOrDefault(one => !File.Exists(one) && !Directory.Exists(one)) is { } missing
            ? throw new ArgumentException(
                $"--californium: '{missing}' is not there. Name californium-core, element-connector, slf4j-api and slf4j-nop, with "
                    + $"'{Path.PathSeparator}' between them.")
            : classPath;

    // It takes none of the system's choice.
    private static int FreePort()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private static string? FindOnPath(string program) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Select(folder => Path.Combine(folder, program))
            .FirstOrDefault(File.Exists);

    private static string FindServer()
    {
        // bin/<configuration>/<framework>/
        DirectoryInfo here = new(AppContext.BaseDirectory);
        string built = Path.Combine(here.Parent!.Name, here.Name);
        for (DirectoryInfo? folder = here; folder is not null; folder = folder.Parent)
        {
            string server = Path.Combine(folder.FullName, "samples", "Server", "bin", built, "Server.dll");
            if (File.Exists(server))
            {
                string host = Path.ChangeExtension(server, null);
                return File.Exists(host) ? host : server;
            }
        }

        throw new InvalidOperationException(
            "samples/Server is not there, or not built in this configuration: build it, or say --server PATH.");
    }

    /// <summary>How ends prove themselves.</summary>
    public enum Credentials
    {
        /// <summary>Both by a key that they share.</summary>
        Key,

        /// <summary>The server by a certificate, the client not at all.</summary>
        Certificate,

        /// <summary>Both by certificates.</summary>
        Both,
    }

    public bool HasSecureLibCoap => _secureLibCoap is not null;

    /// <summary>The certificates of servers and clients.</summary>
    public SecureFiles Files => _files ??= new SecureFiles();

    /// <summary>Starts our server: its endpoints are that of coap and that of coaps.</summary>
    public Child StartSecure(Credentials credentials = Credentials.Key)
    {
        string[] proof = credentials switch
        {
            Credentials.Key => ["--psk", $"{SecureClient.Identity}:{SecureClient.Key}"],
            Credentials.Certificate => ["--cert", Files.Certificate, "--key", Files.Key],
            _ => ["--cert", Files.Certificate, "--key", Files.Key, "--ca", Files.Authority],
        };
        return StartOurs(["--bind", "coap://127.0.0.1:0", "--bind", "coaps://127.0.0.1:0", .. proof]);
    }

    /// <summary>Starts our server with a certificate: its endpoints are that of coap+tcp and that of coaps+tcp.</summary>
    public Child StartTls() => StartOurs(
        ["--bind", "coap+tcp://127.0.0.1:0", "--bind", "coaps+tcp://127.0.0.1:0", "--cert", Files.Certificate, "--key", Files.Key]);

    /// <summary>
    /// Starts libcoap's server: its endpoints are that of coap and that of coaps. It takes what it puts into <c>-k</c> as the key of
    /// everybody.
    /// </summary>
    public (Child Child, IPEndPoint Endpoint, IPEndPoint Secure) StartSecureLibCoap(Credentials credentials = Credentials.Key)
    {
        string[] proof = credentials == Credentials.Key ? ["-k", SecureClient.Key] : ["-c", Files.Certificate, "-j", Files.Key, "-n"];
        (Child child, IPEndPoint endpoint) = StartLibCoap(_secureLibCoap!, proof);
        return (child, endpoint, new IPEndPoint(endpoint.Address, endpoint.Port + 1));
    }

    public void Dispose() => _files?.Dispose();
}

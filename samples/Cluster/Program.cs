// Meters ask three servers behind a load balancer. One of the servers is killed in the middle (kill -9): the other two go on with its DTLS
// sessions, and no meter makes a handshake or gets an error. The servers are silos of Orleans, and share a PostgreSQL, which is started for
// that in a directory of its own. Where PostgreSQL is not installed, and with --sqlite, there is one server with SQLite, which is killed
// and started again. With --nginx the load balancer is NGINX.
using ClusterSample;
using CoAP.NET;
using CoAP.NET.Dtls;

if (args is [Node.Verb, { } name, { } place, { } key])
{
    await Node.RunAsync(name, place, key);
    return 0;
}

if (!CoapDtls.IsSupported)
{
    Console.Error.WriteLine("coaps needs a processor with AES instructions, or OpenSSL on Linux.");
    return 1;
}

string folder = Directory.CreateTempSubdirectory("coap-cluster-").FullName;
byte[] random = new byte[32];
CoapRandomSource.Secure.Fill(random);
string secret = Convert.ToHexString(random);
bool hasDatabase = PostgreSqlProcess.IsInstalled && !args.Contains("--sqlite");
await using PostgreSqlProcess? database = hasDatabase ? await PostgreSqlProcess.StartAsync(isDurable: true) : null;
string store = database?.ConnectionString ?? Path.Combine(folder, "coap.db");
string[] names = database is null ? ["A"] : ["A", "B", "C"];
Console.WriteLine(database is null ? "One server with SQLite." : "Three servers share a PostgreSQL.");

if (args.Contains("--nginx") && (database is null || !NginxBalancer.IsInstalled))
{
    Console.Error.WriteLine("--nginx needs PostgreSQL and NGINX: apt-get install postgresql nginx libnginx-mod-stream");
    return 1;
}

List<NodeProcess> nodes = [];
try
{
    foreach (string one in names)
    {
        nodes.Add(await NodeProcess.StartAsync(one, store, secret));
    }

    await using IBalancer balancer = args.Contains("--nginx") ? await NginxBalancer.StartAsync(nodes) : new Balancer(nodes);

    if (database is not null)
    {
        Console.WriteLine("They share the devices when nobody has joined for two seconds.");
        await Task.Delay(TimeSpan.FromSeconds(3), TimeProvider.System, CancellationToken.None);
    }

    Meters meters = new(balancer.Address);
    await using (meters)
    {
        await meters.StartAsync();
        Console.WriteLine($"Each meter has its session. Who answered how many of them last:");
        await ShowAsync(meters, isOver: null);

        NodeProcess victim = nodes[database is null ? 0 : 1];
        victim.Kill();
        Console.WriteLine($"kill -9 of {victim.Name}");
        if (database is null)
        {
            NodeProcess next = await NodeProcess.StartAsync("A2", store, secret);
            nodes.Add(next);
            (balancer as Balancer)!.Nodes.Add(next);
            Console.WriteLine("A2 has its file.");
        }

        // Until each has three answers more: the second of them was asked for after the end of the server.
        long[] before = meters.Answers();
        await ShowAsync(meters, () => !meters.Answers().Where((count, meter) => count < before[meter] + 3).Any());
    }

    Console.WriteLine($"{meters.Answers().Sum()} answers, {meters.NewHandshakes} new handshakes, {meters.Errors} errors, longest wait "
        + $"{meters.Longest.TotalSeconds:0.0} s: a request that was lost is said again after 2 to 3 s");
    bool isRight = meters is { NewHandshakes: 0, Errors: 0 };
    Console.WriteLine(isRight ? "no meter noticed that a server died" : "something was noticed, see above");
    return isRight ? 0 : 1;
}
finally
{
    foreach (NodeProcess node in nodes)
    {
        node.Dispose();
    }

    Directory.Delete(folder, recursive: true);
}

// A line a second: for three seconds, or until it is over.
static async Task ShowAsync(Meters meters, Func<bool>? isOver)
{
    for (int second = 1; isOver is null ? second <= 3 : !isOver(); second++)
    {
        await Task.Delay(TimeSpan.FromSeconds(1), TimeProvider.System, CancellationToken.None);
        Console.WriteLine($"{second,3} s  {meters}");
    }
}

// Large bodies in constant memory: a streamed upload, a download from a file, one that breaks off and is continued, an upload that is given
// up. Blockwise [--size MiB] (default 4; up to 1024)
using System.Diagnostics;
using System.Globalization;
using System.IO.Pipelines;
using System.Security.Cryptography;
using Blockwise;
using CoAP.NET;

if (args is not ([] or ["--size", _])
    || !int.TryParse(args.ElementAtOrDefault(1) ?? "4", NumberStyles.None, CultureInfo.InvariantCulture, out int size)
    || size is < 1 or > 1024)
{
    Console.Error.WriteLine("usage: Blockwise [--size MiB] (1 to 1024, default 4)");
    return 2;
}

string folder = Directory.CreateTempSubdirectory("coap-blockwise-").FullName;
string original = Path.Combine(folder, "original");
string copy = Path.Combine(folder, "copy");
string hash = await Files.MakeAsync(original, size);

// A Message ID is used again after EXCHANGE_LIFETIME (RFC 7252 section 4.4). With the default of 247 s the 65,536 of them carry 63 MiB at
// once and 260 KiB a second on average; in a network of one's own, where no datagram lives for long, it may be shorter: 10 s here, on both
// sides.
CoapEndpointOptions options = new()
{
    Parameters = CoapTransmissionParameters.Default with
    {
        MaxRetransmit = 2,
        AckTimeout = TimeSpan.FromSeconds(1),
        MaxLatency = TimeSpan.FromSeconds(2)
    },
};
TaskCompletionSource<Exception> givenUp = new();
await using CoapServer server = new(options);
server.Listen("coap://127.0.0.1:0");
server.MapGet("/file", () => CoapResults.File(original));
server.MapPut("/upload", async (request, cancellationToken) =>
{
    try
    {
        using IncrementalHash sum = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        for (bool more = true; more;)
        {
            ReadResult read = await request.BodyReader.ReadAsync(cancellationToken);
            foreach (ReadOnlyMemory<byte> part in read.Buffer)
            {
                sum.AppendData(part.Span);
            }

            request.BodyReader.AdvanceTo(read.Buffer.End);
            more = !read.IsCompleted;
        }

        return CoapResults.Changed(CoapContent.Text(Convert.ToHexStringLower(sum.GetHashAndReset())));
    }
    catch (CoapException exception) when (exception.Error == CoapError.BodyIncomplete)
    {
        givenUp.TrySetResult(exception);
        throw;
    }
}).WithStreamedBody().WithMaxBodySize(1L << 30);
await server.StartAsync();
CoapUri host = server.LocalEndpoints[0];
await using CoapClient client = new(options);
bool isRight = true;
try
{
    CoapResponse response = await client.SendAsync(Upload(new Meter("upload")));
    Check($"uploaded as a stream: {response.Code}", response.GetText() == hash);

    await using (FileStream destination = File.Create(copy))
    {
        await client.SendAsync(Download(destination, new Meter("download")));
    }

    Check("downloaded to a file", await Files.HashAsync(copy) == hash);

    // Breaks off in the middle. What was written stays, and the ETag says what it is a part of.
    Meter broken = new("download", cancelAt: 0.5);
    await using (FileStream destination = File.Create(copy))
    {
        await Cancelled(client.SendAsync(Download(destination, broken), broken.Cancelled));
        CoapDownloadOptions rest = new() { Offset = destination.Length, ETag = broken.ETag };
        Console.WriteLine($"  broke off after {rest.Offset:N0} B; goes on from there");
        await client.SendAsync(Download(destination, new Meter("the rest"), rest));
    }

    Check("continued in the middle", await Files.HashAsync(copy) == hash);

    Meter cancelled = new("upload", cancelAt: 0.5);
    await Cancelled(client.SendAsync(Upload(cancelled), cancelled.Cancelled));
    long sent = client.Endpoint.Counters["RequestsSent"];
    Console.WriteLine($"  cancelled; the server keeps {server.BodyBytes:N0} B for the case that a block is still to come");
    Exception told = await givenUp.Task.WaitAsync(TimeSpan.FromMinutes(5));
    Console.WriteLine($"  the handler was told: {told.Message}");
    for (int i = 0; i < 5000 && (server.BodyBytes > 0 || server.Counters["BodiesAbandoned"] == 0); i++)
    {
        await Task.Delay(TimeSpan.FromSeconds(0.05), TimeProvider.System);
    }

    Check(
        $"given up in the middle: server holds {server.BodyBytes} B for bodies, BodiesAbandoned {server.Counters["BodiesAbandoned"]}; "
            + $"client sent {client.Endpoint.Counters["RequestsSent"] - sent} more requests",
        server.BodyBytes == 0 && server.Counters["BodiesAbandoned"] == 1
            && client.Endpoint.Counters["RequestsSent"] == sent);
}
catch (CoapException exception)
{
    Check(exception.Message, false);
}
finally
{
    Directory.Delete(folder, recursive: true);
}

using Process process = Process.GetCurrentProcess();
Console.WriteLine(
    $"both ends together: live heap {Meter.PeakHeap / 1048576.0:0.0} MiB at most, {GC.GetTotalMemory(true) / 1048576.0:0.0} MiB now; "
        + $"working set {process.PeakWorkingSet64 / 1048576.0:0} MiB at most");
Console.WriteLine(isRight ? "all bodies are right" : "something went wrong above");
return isRight ? 0 : 1;

void Check(string what, bool isSo)
{
    isRight &= isSo;
    Console.WriteLine($"{(isSo ? "ok" : "WRONG")}: {what}");
}

CoapRequest Upload(Meter meter) =>
    new(CoapMethod.Put, host.Resolve("/upload")) { Content = CoapContent.File(original), Progress = meter };

CoapRequest Download(Stream destination, Meter meter, CoapDownloadOptions? rest = null) =>
    new(CoapMethod.Get, host.Resolve("/file")) { Destination = destination, Progress = meter, Download = rest };

static async Task Cancelled(Task task)
{
    try
    {
        await task;
    }
    catch (OperationCanceledException)
    {
    }
}

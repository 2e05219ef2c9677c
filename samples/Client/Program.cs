// A client for the command line. Exit code: 0 success, 1 error response, 2 wrong usage, 3 no response, 130 interrupted.
using System.Security.Cryptography;
using Client;
using CoAP.NET;

if (args is ["--help" or "-h"])
{
    Console.WriteLine(Arguments.Usage);
    return 0;
}

if (!Arguments.TryParse(args, out Arguments arguments, out string error))
{
    Console.Error.WriteLine($"{error}\n{Arguments.Usage}");
    return 2;
}

using CancellationTokenSource stop = new();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stop.Cancel();
};

CoapEndpointOptions options = new();
try
{
    arguments.Security.ApplyTo(options, arguments.Uri);
}
catch (Exception exception)
    when (exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException or CoapCredentialException)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}

await using CoapClient client = new(options);
try
{
    return arguments.Verb switch
    {
        "ping" => await PingAsync(),
        "discover" => await DiscoverAsync(),
        "observe" => await ObserveAsync(),
        _ => await SendAsync(),
    };
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine("interrupted");
    return 130;
}
catch (Exception exception) when (exception is CoapException or ArgumentException or IOException or UnauthorizedAccessException)
{
    Console.Error.WriteLine(exception.Message);
    return exception is CoapResponseException ? 1 : 3;
}

async Task<int> PingAsync()
{
    TimeSpan time = await client.PingAsync(arguments.Uri, cancellationToken: stop.Token);
    Console.WriteLine($"{arguments.Uri} answered in {time.TotalMilliseconds:0.00} ms");
    return 0;
}

async Task<int> DiscoverAsync()
{
    foreach (CoapLink link in await client.DiscoverAsync(arguments.Uri, arguments.Text, stop.Token))
    {
        Console.WriteLine(link);
    }

    return 0;
}

async Task<int> SendAsync()
{
    CoapRequest request = arguments.ToRequest();
    request.Progress = new ProgressLine();
    await using FileStream? destination = arguments.Out is { } path ? File.Create(path) : null;
    request.Destination = destination;
    CoapResponse response = await client.SendAsync(request, stop.Token);
    Console.Error.WriteLine(destination is null
        ? $"{response.Code} [{response.Options}]"
        : $"{response.Code} [{response.Options}] {destination.Length:N0} B written");
    Console.Write(response.Payload.IsEmpty ? "" : response.GetText() + Environment.NewLine);
    return response.IsSuccess ? 0 : 1;
}

async Task<int> ObserveAsync()
{
    await using CoapObservation observation = await client.ObserveAsync(arguments.ToRequest(), cancellationToken: stop.Token);
    observation.StateChanged += (_, state) => Report(state);
    Report(observation.State);
    int left = arguments.Count;
    await foreach (CoapResponse response in observation.ReadAllAsync(stop.Token))
    {
        Console.Error.Write($"{response.Code} [{response.Options}] ");
        Console.WriteLine(response.GetText());
        if (--left == 0)
        {
            break;
        }
    }

    return 0;

    void Report(CoapObserveState state) => Console.Error.WriteLine(observation.Error is { } why ? $"{state}: {why.Message}" : $"{state}");
}

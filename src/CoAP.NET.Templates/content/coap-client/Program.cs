using CoAP.NET;
#if (dtls)
using CoAP.NET.Dtls;
#endif

string uri = args.Length > 0 ? args[0] : "coap://localhost:5683/temperature";
if (!CoapUri.TryParse(uri, out _))
{
    Console.Error.WriteLine($"'{uri}' is not a CoAP URI, such as coap://localhost:5683/temperature.");
    return 1;
}

using CancellationTokenSource stop = new();
Console.CancelKeyPress += (_, key) =>
{
    key.Cancel = true;
    stop.Cancel();
};

#if (dtls)
// Identity and key for coaps, such as device:0x001122. They come from outside, so that they are in no source.
CoapEndpointOptions options = new();
if (Environment.GetEnvironmentVariable("COAP_PSK") is { } psk)
{
    try
    {
        options.UsePsk(CoapPskCredential.Parse(psk));
    }
    catch (CoapCredentialException exception)
    {
        Console.Error.WriteLine($"COAP_PSK: {exception.Message}");
        return 1;
    }
}
else if (uri.StartsWith("coaps://", StringComparison.OrdinalIgnoreCase))
{
    Console.Error.WriteLine("coaps needs keys, but none are set. Set COAP_PSK to the identity and the key, such as device:0x001122.");
    return 1;
}

await using CoapClient client = new(options) { Timeout = TimeSpan.FromSeconds(10) };
#else
await using CoapClient client = new() { Timeout = TimeSpan.FromSeconds(10) };
#endif
try
{
    // The temperature now and each change of it, until Ctrl+C. For a single request: await client.GetAsync(uri, stop.Token).
    await using CoapObservation temperature = await client.ObserveAsync(uri, stop.Token);
    temperature.StateChanged += (_, _) => ReportState();
    ReportState();
    await foreach (CoapResponse change in temperature.ReadAllAsync(stop.Token))
    {
        if (change.IsSuccess)
        {
            Console.WriteLine(change.GetText());
        }
    }

    // Prints why nothing comes: no server, a wrong key, an error response. The observation keeps trying.
    void ReportState() => Console.Error.WriteLine(temperature.Error?.Message ?? $"{temperature.State}");
}
catch (OperationCanceledException) when (stop.IsCancellationRequested)
{
    // Ctrl+C.
}
catch (CoapException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

return 0;

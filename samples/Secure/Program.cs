// A server and clients in one process over coaps, which is CoAP over DTLS 1.2, with pre-shared keys (RFC 7252 section 9). Prints who asks,
// and what each may do.
using System.Globalization;
using CoAP.NET;
using CoAP.NET.Dtls;

// Every device has a key of its own, of random bytes: written into it when it is made, and kept beside the server in a file or a database.
// These are for show.
CoapPskCredential meter = CoapPskCredential.Parse("meter-7:0x8d3f51b2c07a46e99b1e20f4d5a6c733");
CoapPskCredential technician = CoapPskCredential.Parse("technician:0x1fa9c4470d6be2835ec81739b0462dda");

await using CoapServer server = new();
server.ListenSecure("coaps://127.0.0.1:0", keys => keys.UsePsk(meter).UsePsk(technician));
double limit = 30;
server.MapGet("/who", request => CoapResults.Text($"{request.Peer.Identity}"));
server.MapGet("/limit", () => CoapResults.Text($"{limit} C"));
server.MapPut("/limit", request =>
{
    if (request.Peer.Identity is not CoapDtlsPeerIdentity { PskIdentity: "technician" })
    {
        return CoapResults.Forbidden("The technician sets the limit.");
    }

    if (!double.TryParse(request.GetText(), NumberStyles.Float, CultureInfo.InvariantCulture, out double value))
    {
        return CoapResults.BadRequest("A number, please.");
    }

    limit = value;
    return CoapResults.Changed();
});
await server.StartAsync();
CoapUri host = server.LocalEndpoints[0];
Console.WriteLine($"serving on {host}");

await using CoapClient device = new(o => o.UsePsk(meter));
Console.WriteLine($"GET /who -> {(await device.GetAsync(host.Resolve("/who"))).GetText()}");
Console.WriteLine($"GET /limit -> {(await device.GetAsync(host.Resolve("/limit"))).GetText()}");
CoapResponse refused = await device.PutAsync(host.Resolve("/limit"), CoapContent.Text("40"));
Console.WriteLine($"PUT /limit -> {refused.Code}: {refused.GetText()}");

await using CoapClient service = new(o => o.UsePsk(technician));
Console.WriteLine($"GET /who -> {(await service.GetAsync(host.Resolve("/who"))).GetText()}");
Console.WriteLine($"PUT /limit -> {(await service.PutAsync(host.Resolve("/limit"), CoapContent.Text("40"))).Code}");

// With a wrong key nobody comes in. The server does not say why, so that nobody learns which identities there are: the client finds out
// when the time for its handshake is over.
CoapPskCredential wrong = CoapPskCredential.Parse("technician:0x00112233445566778899aabbccddeeff");
await using CoapClient stranger = new(o => o.UsePsk(wrong)) { Timeout = TimeSpan.FromSeconds(3) };
try
{
    await stranger.PutAsync(host.Resolve("/limit"), CoapContent.Text("99"));
    return 1;
}
catch (CoapTimeoutException exception)
{
    Console.WriteLine($"with a wrong key: {exception.Message}");
}

Console.WriteLine($"the limit is {limit} C, as the technician set it");
return 0;

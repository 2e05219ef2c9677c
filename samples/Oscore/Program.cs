// A door, the desk that opens it, and a proxy between them that sees nothing of it: requests and responses are protected from end to end by
// OSCORE (RFC 8613). First with a secret that both were given, then with keys that they agree upon by EDHOC (RFC 9528), each with a key
// pair of its own. All run in this process; the program ends with 0 when everything was as it should be.
using CoAP.NET;
using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;
using CoAP.NET.Proxy;

// The door takes commands under OSCORE only.
OscoreContexts contextsOfDoor = new();
await using CoapServer door = new(o => o.UseOscore(contextsOfDoor));
int opened = 0;
door.Listen("coap://127.0.0.1:0");
door.MapPost("/door", request =>
{
    opened++;
    OscoreIdentity peer = (OscoreIdentity)request.Peer.Identity!;
    Console.WriteLine($"door:  \"{request.GetText()}\" of {peer.Owner ?? peer}");
    return CoapResults.Changed(CoapContent.Text("it is open"));
}).RequireOscore();
await door.StartAsync();
CoapUri uri = door.LocalEndpoints[0];

// The proxy, which prints all that it sees and remembers the last protected request.
CoapProxyOptions proxyOptions = new();
proxyOptions.Targets.AllowNetwork("127.0.0.0/8:*");
await using CoapProxy forwarding = new(proxyOptions);
await using CoapServer proxy = new();
proxy.Listen("coap://127.0.0.1:0");
(byte[] Option, byte[] Ciphertext) seen = ([], []);
proxy.MapForwardProxy(forwarding).AddFilter(async (request, next, cancellationToken) =>
{
    CoapResult result = await next(request, cancellationToken);
    string what = $"{request.Code} {request.Options.ProxyUri}";
    if (request.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value))
    {
        seen = (value.ToArray(), request.Payload.ToArray());
        what += $" with option 9 {Convert.ToHexStringLower(value)}";
    }

    Console.WriteLine($"proxy: {what}, {Shown(request.Payload)} -> {result.Code}, {Shown(result.Payload)}");
    return result;
});
await proxy.StartAsync();

Console.WriteLine("-- a secret that both were given");

// In the field the secret comes from whoever installs the device, each device has another one, and the numbers are kept on a disk:
// FileOscoreStore.Open(path).
byte[] secret = new byte[16];
CoapRandomSource.Secure.Fill(secret);
using OscoreParameters parametersOfDoor = new(secret, senderId: [1], recipientId: [2]);
await using OscoreContext contextOfDoor = await OscoreContext.OpenAsync(parametersOfDoor, new MemoryOscoreStore());
contextsOfDoor.Add(contextOfDoor);

using OscoreParameters parametersOfDesk = new(secret, senderId: [2], recipientId: [1]);
await using OscoreContext contextOfDesk = await OscoreContext.OpenAsync(parametersOfDesk, new MemoryOscoreStore());
await using (CoapClient desk = DeskWith(new OscoreContexts().Add(uri, contextOfDesk)))
{
    await OpenAsync(desk);
}

// What the proxy can do with what it has: ask by itself, and send the request once more.
await using CoapClient curious = new();
CoapResponse plain = await curious.PostAsync(uri.Resolve("/door"), CoapContent.Text("open"));
Console.WriteLine($"the proxy asks without the keys: {plain.Code}, {plain.GetText()}");
CoapRequest recorded = new(CoapMethod.Post, uri) { Content = new CoapContent(seen.Ciphertext) };
recorded.Options.Add(OptionNumber.Oscore, seen.Option);
CoapResponse replayed = await curious.SendAsync(recorded);
Console.WriteLine($"the proxy sends the request again: {replayed.Code}, {replayed.GetText()}");

Console.WriteLine("-- keys that both agree upon by EDHOC");

// Each has a key pair, and knows the public key of the other one.
using EdhocPrivateKey? keyOfDoor = NewKey();
if (keyOfDoor is null)
{
    return 2;
}

using EdhocPrivateKey keyOfDesk = EdhocPrivateKey.Generate(EdhocCurve.P256);
EdhocCredential credentialOfDoor = EdhocCredential.Create(keyOfDoor.PublicKey, [0x32], "door", identity: "the door");
EdhocCredential credentialOfDesk = EdhocCredential.Create(keyOfDesk.PublicKey, [0x2b], "desk", identity: "the front desk");

EdhocServerOptions ofDoor = new() { Contexts = contextsOfDoor, Trust = new EdhocCredentialStore().Add(credentialOfDesk) };
ofDoor.Credentials.Add(new EdhocOwnCredential(credentialOfDoor, EdhocCredentialId.OfKeyId([0x32]), keyOfDoor));
using EdhocServer responder = new(ofDoor);
door.MapEdhoc(responder);

OscoreContexts contextsOfEdhoc = new();
contextsOfEdhoc.Require(uri);
EdhocClientOptions ofDesk = new() { Contexts = contextsOfEdhoc, Trust = new EdhocCredentialStore().Add(credentialOfDoor) };
ofDesk.ExpectServer(uri, "the door");
ofDesk.Credentials.Add(new EdhocOwnCredential(credentialOfDesk, EdhocCredentialId.OfKeyId([0x2b]), keyOfDesk));
await using (CoapClient desk = DeskWith(contextsOfEdhoc))
{
    // Three messages, which the proxy sees; the keys that come of them it cannot know.
    using EdhocResult session = await new EdhocClient(desk, ofDesk).ConnectAsync(uri);
    Console.WriteLine($"desk:  that is {session.PeerIdentity}, by {session.Method} and suite {session.CipherSuite}");
    await OpenAsync(desk);
}

if (opened != 2 || plain.Code != CoapCode.Unauthorized || replayed.Code != CoapCode.Unauthorized)
{
    Console.WriteLine($"the door was opened {opened} times");
    return 1;
}

Console.WriteLine("the door was opened twice, and the proxy knows of neither");
return 0;

// .NET has its elliptic curves from OpenSSL on Linux. OSCORE alone needs none.
static EdhocPrivateKey? NewKey()
{
    try
    {
        return EdhocPrivateKey.Generate(EdhocCurve.P256);
    }
    catch (PlatformNotSupportedException exception)
    {
        Console.WriteLine(exception.Message);
        return null;
    }
}

CoapClient DeskWith(OscoreContexts contexts) =>
    new(o => o.UseOscore(contexts)) { Proxy = proxy.LocalEndpoints[0] };

async Task OpenAsync(CoapClient desk)
{
    CoapResponse response = await desk.PostAsync(uri.Resolve("/door"), CoapContent.Text("open, please"));
    Console.WriteLine($"desk:  {response.EnsureSuccess().GetText()}");
}

static string Shown(ReadOnlyMemory<byte> payload) => payload.Length <= 24
    ? $"{payload.Length} bytes {Convert.ToHexStringLower(payload.Span)}"
    : $"{payload.Length} bytes {Convert.ToHexStringLower(payload.Span[..24])}...";

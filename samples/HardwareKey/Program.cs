// A server over coaps whose private key is in another process, as it would be in a TPM, a token or a key vault. The server has the public
// key, and asks the other process for each signature. No thread waits for it.
using System.Diagnostics;
using System.Security.Cryptography;
using CoAP.NET;
using CoAP.NET.Dtls;

if (args is ["sign"])
{
    // The other process: it shows its public key, and signs what it reads.
    using ECDsa secret = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    Console.WriteLine(Convert.ToBase64String(secret.ExportSubjectPublicKeyInfo()));
    while (Console.ReadLine() is { } hash)
    {
        Console.WriteLine(Convert.ToBase64String(secret.SignHash(Convert.FromBase64String(hash))));
    }

    return 0;
}

ProcessStartInfo start = new(Environment.ProcessPath!, "sign") { RedirectStandardInput = true, RedirectStandardOutput = true };
using Process token = Process.Start(start)!;
using SemaphoreSlim turn = new(1);
byte[] publicKey = Convert.FromBase64String((await token.StandardOutput.ReadLineAsync())!);
int signatures = 0;
CoapDtlsSigner signer = new(publicKey, async (hash, _, cancellationToken) =>
{
    // The token answers one question at a time.
    await turn.WaitAsync(cancellationToken);
    try
    {
        await token.StandardInput.WriteLineAsync(Convert.ToBase64String(hash.Span).AsMemory(), cancellationToken);
        await token.StandardInput.FlushAsync(cancellationToken);
        signatures++;
        return Convert.FromBase64String((await token.StandardOutput.ReadLineAsync(cancellationToken))!);
    }
    finally
    {
        turn.Release();
    }
});

await using CoapServer server = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
{
    Server = new CoapDtlsServerOptions { Signer = signer },
}));
server.MapGet("/temperature", () => "21.5 C");
server.Listen("coaps://127.0.0.1:0");
await server.StartAsync();
Console.WriteLine($"serving on {server.LocalEndpoints[0]}, with the key of process {token.Id}");

// The client knows the public key of the server, for example from its label (RFC 7252 section 9.1.3.2).
await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
{
    Client = new CoapDtlsClientOptions { ValidateServerPublicKey = (_, key, _) => new(key.Span.SequenceEqual(publicKey)) },
}));
CoapResponse response = await client.GetAsync(server.LocalEndpoints[0].Resolve("/temperature"));
Console.WriteLine($"GET /temperature -> {response.GetText()}");

token.StandardInput.Close();
await token.WaitForExitAsync();
Console.WriteLine($"the other process signed {signatures} handshake, and its key never left it");
return 0;

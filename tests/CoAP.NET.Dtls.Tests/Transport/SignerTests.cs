namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Keys outside of the process (<see cref="CoapDtlsSigner"/>).</summary>
public sealed class SignerTests
{
    [Fact]
    public async Task A_server_and_a_client_sign_with_raw_public_keys_that_only_their_signers_have()
    {
        using ECDsa serverKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ECDsa clientKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        byte[] ofServer = serverKey.ExportSubjectPublicKeyInfo();
        byte[] ofClient = clientKey.ExportSubjectPublicKeyInfo();
        await using CoapServer server = Serve(new CoapDtlsServerOptions
        {
            Signer = new CoapDtlsSigner(ofServer, SignBy(serverKey)),
            RequireClientPublicKey = true,
            ValidateClientPublicKey = (key, _) => new(key.Span.SequenceEqual(ofClient)),
        });
        await using CoapClient client = Ask(new CoapDtlsClientOptions
        {
            Signer = new CoapDtlsSigner(ofClient, SignBy(clientKey)),
            ValidateServerPublicKey = (_, key, _) => new(key.Span.SequenceEqual(ofServer)),
        });
        await server.StartAsync();
        CoapResponse response = await client.GetAsync($"{server.LocalEndpoints[0]}key");
        Assert.Equal(ofClient, response.Payload.ToArray());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_server_signs_for_a_certificate_whose_key_only_the_signer_has(bool isSelected)
    {
        using BenchAuthority authority = new();
        using X509Certificate2 issued = authority.Issue("device.example");
        using X509Certificate2 alone = X509CertificateLoader.LoadCertificate(issued.RawData);
        using ECDsa key = issued.GetECDsaPrivateKey()!;
        CoapDtlsSigner signer = new(alone, null, SignBy(key));
        CoapDtlsCredentials selected = new(null, signer: signer);
        await using CoapServer server = Serve(isSelected
            ? new CoapDtlsServerOptions { SelectCredentials = _ => selected }
            : new CoapDtlsServerOptions { Signer = signer });
        await using CoapClient client = Ask(new CoapDtlsClientOptions
        {
            TrustedAuthorities = { authority.Certificate },
            ValidateServerCertificate = (leaf, _, errors, _) =>
                new(leaf.Equals(alone) && (errors & ~SslPolicyErrors.RemoteCertificateNameMismatch) == SslPolicyErrors.None),
        });
        await server.StartAsync();
        CoapResponse response = await client.GetAsync($"{server.LocalEndpoints[0]}key");
        Assert.Equal(CoapCode.Content, response.Code);
    }

    [Fact]
    public async Task A_handshake_that_waits_for_a_signature_delays_no_other_handshake()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        TaskCompletionSource asked = new(RunContinuationsAsynchronously);
        TaskCompletionSource answered = new(RunContinuationsAsynchronously);
        int signatures = 0;
        await using CoapServer server = Serve(new CoapDtlsServerOptions
        {
            Signer = new CoapDtlsSigner(key.ExportSubjectPublicKeyInfo(), async (hash, _, _) =>
            {
                if (Interlocked.Increment(ref signatures) == 1)
                {
                    asked.SetResult();
                    await answered.Task;
                }

                return Sign(key, hash);
            }),
        });
        await server.StartAsync();
        CoapDtlsClientOptions trusting = new() { ValidateServerPublicKey = (_, _, _) => new(true) };
        await using CoapClient first = Ask(trusting);
        await using CoapClient second = Ask(trusting);
        Task<CoapResponse> waiting = first.GetAsync($"{server.LocalEndpoints[0]}key");
        await asked.Task;
        Assert.Equal(CoapCode.Content, (await second.GetAsync($"{server.LocalEndpoints[0]}key")).Code);
        Assert.False(waiting.IsCompleted);
        answered.SetResult();
        Assert.Equal(CoapCode.Content, (await waiting).Code);
    }

    [Fact]
    public async Task A_handshake_that_waits_for_a_validation_or_a_key_delays_no_other_handshake()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        TaskCompletionSource asked = new(RunContinuationsAsynchronously);
        TaskCompletionSource answered = new(RunContinuationsAsynchronously);
        int validations = 0;
        await using CoapServer server = Serve(new CoapDtlsServerOptions
        {
            RawPublicKey = key,
            RequireClientPublicKey = true,
            ValidateClientPublicKey = async (_, _) =>
            {
                if (Interlocked.Increment(ref validations) == 1)
                {
                    asked.SetResult();
                    await answered.Task;
                }

                return true;
            },
        });
        await server.StartAsync();
        CoapDtlsClientOptions trusting = new()
        {
            RawPublicKey = key,
            ValidateServerPublicKey = async (_, _, _) =>
            {
                await Task.Yield();
                return true;
            },
        };
        await using CoapClient first = Ask(trusting);
        await using CoapClient second = Ask(trusting);
        Task<CoapResponse> waiting = first.GetAsync($"{server.LocalEndpoints[0]}key");
        await asked.Task;
        Assert.Equal(CoapCode.Content, (await second.GetAsync($"{server.LocalEndpoints[0]}key")).Code);
        Assert.False(waiting.IsCompleted);
        answered.SetResult();
        Assert.Equal(CoapCode.Content, (await waiting).Code);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_validation_is_cancelled_when_nobody_waits_for_its_handshake(bool isOfKey)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        TaskCompletionSource asked = new(RunContinuationsAsynchronously);
        TaskCompletionSource cancelled = new(RunContinuationsAsynchronously);
        await using CoapServer server = Serve(isOfKey
            ? new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { "device", [1, 2, 3] } } }
            : new CoapDtlsServerOptions { RawPublicKey = key });
        await server.StartAsync();
        await using CoapClient client = Ask(isOfKey
            ? new CoapDtlsClientOptions
            {
                SelectPsk = async (_, token) =>
                {
                    await NeverAsync(token);
                    return null;
                },
            }
            : new CoapDtlsClientOptions
            {
                ValidateServerPublicKey = async (_, _, token) =>
                {
                    await NeverAsync(token);
                    return true;
                },
            });
        using CancellationTokenSource end = new();
        Task<CoapResponse> waiting = client.GetAsync($"{server.LocalEndpoints[0]}key", cancellationToken: end.Token);
        await asked.Task;
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await cancelled.Task;

        async Task NeverAsync(CancellationToken token)
        {
            asked.SetResult();
            try
            {
                await new TaskCompletionSource().Task.WaitAsync(token);
            }
            finally
            {
                cancelled.SetResult();
            }
        }
    }

    [Theory]
    [InlineData(false, "no such key in the vault")]
    [InlineData(true, "64: r and s")]
    public async Task A_client_whose_signer_fails_gets_the_reason(bool returns, string reason)
    {
        using ECDsa serverKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ECDsa clientKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        await using CoapServer server = Serve(new CoapDtlsServerOptions
        {
            RawPublicKey = serverKey,
            RequireClientPublicKey = true,
            ValidateClientPublicKey = (_, _) => new(true),
        });
        await using CoapClient client = Ask(new CoapDtlsClientOptions
        {
            Signer = new CoapDtlsSigner(clientKey.ExportSubjectPublicKeyInfo(), (_, _, _) =>
                returns ? ValueTask.FromResult(new byte[70]) : throw new IOException("no such key in the vault")),
            ValidateServerPublicKey = (_, _, _) => new(true),
        });
        await server.StartAsync();
        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(
            () => client.GetAsync($"{server.LocalEndpoints[0]}key"));
        Assert.Contains(reason, failure.ToString(), Ordinal);
    }

    [Fact]
    public async Task A_server_whose_signer_fails_tells_the_client_and_serves_the_next_one()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        bool fails = true;
        await using CoapServer server = Serve(new CoapDtlsServerOptions
        {
            Signer = new CoapDtlsSigner(key.ExportSubjectPublicKeyInfo(),
                (hash, _, _) => fails ? throw new IOException("the token was removed") : ValueTask.FromResult(Sign(key, hash))),
        });
        await server.StartAsync();
        CoapDtlsClientOptions trusting = new() { ValidateServerPublicKey = (_, _, _) => new(true) };
        await using CoapClient client = Ask(trusting);
        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(
            () => client.GetAsync($"{server.LocalEndpoints[0]}key"));
        Assert.Contains("internal_error", failure.ToString(), Ordinal);
        fails = false;
        Assert.Equal(CoapCode.Content, (await client.GetAsync($"{server.LocalEndpoints[0]}key")).Code);
    }

    [Fact]
    public void A_signer_with_an_unsuitable_key_is_refused_when_it_is_created()
    {
        using ECDsa large = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        using RSA rsa = RSA.Create(2_048);
        using X509Certificate2 ofRsa = new CertificateRequest("CN=device", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        Assert.Contains("384 bits", Assert.Throws<CoapCredentialException>(
            () => new CoapDtlsSigner(large.ExportSubjectPublicKeyInfo(), SignBy(large))).Message, Ordinal);
        Assert.Contains("SubjectPublicKeyInfo", Assert.Throws<CoapCredentialException>(
            () => new CoapDtlsSigner("no key"u8.ToArray(), SignBy(large))).Message, Ordinal);
        Assert.Contains("ECDSA", Assert.Throws<CoapCredentialException>(
            () => new CoapDtlsSigner(ofRsa, null, SignBy(large))).Message, Ordinal);
    }

    [Fact]
    public void Options_with_a_signer_and_another_key_are_refused()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CoapDtlsSigner signer = new(key.ExportSubjectPublicKeyInfo(), SignBy(key));
        CoapDtlsOptions both = new() { Server = new CoapDtlsServerOptions { Signer = signer, RawPublicKey = key } };
        Assert.Contains("Signer", Assert.Throws<ArgumentException>(both.Validate).Message, Ordinal);
        CoapDtlsOptions selecting = new() { Client = new CoapDtlsClientOptions { Signer = signer, SelectCredentials = _ => null } };
        Assert.Contains("SelectCredentials", Assert.Throws<ArgumentException>(selecting.Validate).Message, Ordinal);
        Assert.Throws<CoapCredentialException>(() => new CoapDtlsCredentials(null, signer: signer));
    }

    private static Func<ReadOnlyMemory<byte>, HashAlgorithmName, CancellationToken, ValueTask<byte[]>> SignBy(ECDsa key) =>
        async (hash, algorithm, _) =>
        {
            Assert.Equal(HashAlgorithmName.SHA256, algorithm);
            await Task.Yield();
            return Sign(key, hash);
        };

    private static byte[] Sign(ECDsa key, ReadOnlyMemory<byte> hash)
    {
        lock (key)
        {
            return key.SignHash(hash.ToArray());
        }
    }

    private static CoapServer Serve(CoapDtlsServerOptions options)
    {
        CoapServer server = new();
        server.Endpoint.AddTransport(new CoapDtlsTransport(new CoapDtlsOptions { Server = options },
            new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } }));
        server.MapGet("/key", request => CoapResults.Bytes((request.Peer.Identity as CoapDtlsPeerIdentity)?.PublicKey.ToArray() ?? []));
        return server;
    }

    private static CoapClient Ask(CoapDtlsClientOptions options) =>
        new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { HandshakeTimeout = FromMinutes(1), Client = options }));
}

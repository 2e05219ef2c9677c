using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.ExactlyOnce;

/// <summary>
/// What <see cref="CoapExactlyOnce"/> promises with each database. Servers stand for processes; a socket of the test is the device.
/// </summary>
public abstract class OnceSuite : IDisposable
{
    private readonly UdpClient _device = new(new IPEndPoint(IPAddress.Loopback, 0));

    private protected VirtualClock Clock { get; } = new();

    private protected CoapExactlyOnce Once => field ??= new CoapExactlyOnce(timeProvider: Clock);

    public void Dispose()
    {
        _device.Dispose();
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    private protected abstract Task<DbConnection> OpenAsync();

    private protected virtual void Dispose(bool isDisposing)
    {
    }

    private protected async Task CopiesHaveTheAnswerOfTheFirstAsync()
    {
        await MakeTablesAsync();
        await MakeTablesAsync();
        byte[] first = Post(1, "5");
        byte[] second = Post(2, "5");
        await using (CoapServer server = await StartAsync())
        {
            Assert.Equal("1", await SendAsync(server, first));
        }

        await using (CoapServer other = await StartAsync())
        {
            Assert.Equal("1", await SendAsync(other, first));
            Assert.Equal("2", await SendAsync(other, second));
            Assert.Equal(2, await CountAsync("done"));
        }

        // By now no device sends a copy, and one that has the same numbers again means another request.
        Clock.Advance(FromSeconds(248));
        await using (CoapServer late = await StartAsync())
        {
            Assert.Equal("3", await SendAsync(late, first));
        }

        await using DbConnection connection = await OpenAsync();
        Assert.Equal(1, await Once.RemoveOldAsync(connection));
        Assert.Equal(1, await CountAsync("coap_once"));
    }

    private protected async Task WhatWasRolledBackIsDoneByTheNextCopyAsync()
    {
        await MakeTablesAsync();
        CoapRequestContext request = await RequestAsync();
        await using (DbConnection connection = await OpenAsync())
        {
            await using DbTransaction crashed = await connection.BeginTransactionAsync();
            CoapExactlyOnceRequest run = await Once.TryBeginAsync(crashed, request);
            Assert.True(run.IsFirst);
            await run.CompleteAsync(CoapResults.Changed());
            await crashed.RollbackAsync();
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => run.CompleteAsync(CoapResults.Changed()));
        }

        await using (DbConnection connection = await OpenAsync())
        {
            await using DbTransaction silent = await connection.BeginTransactionAsync();
            Assert.True((await Once.TryBeginAsync(silent, request)).IsFirst);
            await silent.CommitAsync();
        }

        await using DbConnection third = await OpenAsync();
        await using DbTransaction copy = await third.BeginTransactionAsync();
        CoapExactlyOnceRequest known = await Once.TryBeginAsync(copy, request);
        Assert.Equal((false, null), (known.IsFirst, known.Answer));
        await Assert.ThrowsAsync<InvalidOperationException>(() => known.CompleteAsync(CoapResults.Changed()));
        Assert.True((await Once.TryBeginAsync(copy, request, "another client")).IsFirst);
    }

    private protected async Task EveryVersionReadsThemAsync()
    {
        await MakeTablesAsync();
        CoapRequestContext request = await RequestAsync();
        await using DbConnection connection = await OpenAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        CoapExactlyOnceRequest run = await Once.TryBeginAsync(transaction, request, "a client");
        await run.CompleteAsync(CoapResults.Changed(CoapContent.Text("done")));

        Assert.Equal(
            "c8ba2311795b79e7bc5c6b493b0b11ef6e38402c2de7f8162185d9f0d772a534 QEQAAMD/ZG9uZQ==",
            await TextAsync(connection, transaction, "select request || ' ' || answer from coap_once"));
        CoapExactlyOnceRequest copy = await Once.TryBeginAsync(transaction, request, "a client");
        Assert.Equal((CoapCode.Changed, "done"), (copy.Answer!.Code, Encoding.UTF8.GetString(copy.Answer.Payload.Span)));
    }

    private protected async Task UnreadableIsNotNewAsync()
    {
        await MakeTablesAsync();
        CoapRequestContext request = await RequestAsync();
        await using DbConnection connection = await OpenAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        Assert.True((await Once.TryBeginAsync(transaction, request)).IsFirst);
        foreach (string answer in (string[])["2:YEQAAA==", "YA=="])
        {
            await DoAsync(connection, transaction, $"update coap_once set answer = '{answer}'");
            CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(
                () => Once.TryBeginAsync(transaction, request));
            Assert.Equal(CoapClusterStoreFault.Incompatible, exception.Fault);
        }
    }

    private protected async Task<CoapRequestContext> RequestAsync()
    {
        TaskCompletionSource<CoapRequestContext> came = new(RunContinuationsAsynchronously);
        await using CoapServer server = await StartAsync(request =>
        {
            came.TrySetResult(request);
            return Task.FromResult(CoapResults.Changed());
        });
        await SendAsync(server, Post(9, "x"));
        return await came.Task;
    }

    private protected async Task MakeTablesAsync()
    {
        await using DbConnection connection = await OpenAsync();
        await Once.CreateTableAsync(connection);
        await DoAsync(connection, null, "create table if not exists done (what text)");
    }

    private protected async Task<long> CountAsync(string table)
    {
        await using DbConnection connection = await OpenAsync();
        return await CountAsync(connection, null, table);
    }

    private static byte[] Post(ushort id, string payload)
    {
        CoapMessage message = new(CoapCode.Post)
        {
            Type = CoapMessageType.Confirmable,
            MessageId = id,
            Token = new CoapToken([7, (byte)id]),
            Payload = Encoding.UTF8.GetBytes(payload),
        };
        message.Options.Add(new UriPathOption("done"));
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    private static async Task<long> CountAsync(DbConnection connection, DbTransaction? transaction, string table)
    {
        await using DbCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // texts of the tests
        (command.CommandText, command.Transaction) = ($"select count(*) from {table}", transaction);
#pragma warning restore CA2100
        return Convert.ToInt64(await command.ExecuteScalarAsync(), CultureInfo.InvariantCulture);
    }

    private static async Task<string?> TextAsync(DbConnection connection, DbTransaction transaction, string sql)
    {
        await using DbCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // texts of the tests
        (command.CommandText, command.Transaction) = (sql, transaction);
#pragma warning restore CA2100
        return await command.ExecuteScalarAsync() as string;
    }

    private static async Task DoAsync(DbConnection connection, DbTransaction? transaction, string sql)
    {
        await using DbCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // texts of the tests
        (command.CommandText, command.Transaction) = (sql, transaction);
#pragma warning restore CA2100
        await command.ExecuteNonQueryAsync();
    }

    private async Task<CoapResult> DoneAsync(CoapRequestContext request)
    {
        await using DbConnection connection = await OpenAsync();
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        CoapExactlyOnceRequest run = await Once.TryBeginAsync(transaction, request);
        if (!run.IsFirst)
        {
            return run.Answer!;
        }

        await DoAsync(connection, transaction, "insert into done (what) values ('it')");
        CoapResult answer = CoapResults.Changed(CoapContent.Text($"{await CountAsync(connection, transaction, "done")}"));
        await run.CompleteAsync(answer);
        await transaction.CommitAsync();
        return answer;
    }

    private async Task<CoapServer> StartAsync(Func<CoapRequestContext, Task<CoapResult>>? handler = null)
    {
        // A machine that is busy must not make separate answers of what is expected on the acknowledgement.
        CoapServer server = new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { PiggybackWindow = FromMinutes(1) },
        });
        server.MapPost("/done", (CoapRequestContext request, CancellationToken _) =>
            handler is null ? DoneAsync(request) : handler(request));
        server.Listen($"coap://{IPAddress.Loopback}:0");
        await server.StartAsync();
        return server;
    }

    private async Task<string> SendAsync(CoapServer server, byte[] request)
    {
        await _device.SendAsync(request, new IPEndPoint(IPAddress.Loopback, server.LocalEndpoints[0].Port));
        UdpReceiveResult answer = await _device.ReceiveAsync();
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize(answer.Buffer);
        Assert.Equal(CoapCode.Changed, message.Code);
        return Encoding.UTF8.GetString(message.Payload.Span);
    }
}

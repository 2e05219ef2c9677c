using System.Buffers.Binary;
using System.Data.Common;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster;

/// <summary>Executes a request exactly once, although its client retransmits it and the process may end in between. Thread-safe.</summary>
/// <remarks>
/// One transaction of the application's own database commits the changes of the request, the record of its execution, and its answer.
/// Works with SQLite (3.24 and later) and PostgreSQL, through their ADO.NET providers.
/// <para>A retransmission is a message of the same client with the same Message ID, token, code, options and payload (RFC 7252 section
/// 4.5). Within a process the endpoint detects retransmissions by itself; this class detects those that arrive after a crash, or at another
/// node. A client that gives up and asks again sends another request, and a body in blocks starts again after a crash: to detect these, the
/// application needs its own number in the request. On TCP, TLS and WebSockets there are no retransmissions.</para>
/// </remarks>
public sealed partial class CoapExactlyOnce
{
    private static readonly TimeSpan s_lifetime = TimeSpan.FromSeconds(247);
    private static readonly TimeSpan s_leastLifetime = TimeSpan.FromSeconds(93);
    private static readonly TimeSpan s_longestLifetime = TimeSpan.FromDays(1);

    private readonly string _table;
    private readonly TimeSpan _lifetime;
    private readonly TimeProvider _time;

    /// <summary>Creates an instance.</summary>
    /// <param name="lifetime">
    /// The time for which a request is remembered, 93 s to 1 day: at least as long as clients retransmit a request, and at most the time
    /// after which they reuse a Message ID and token. Null for 247 s, EXCHANGE_LIFETIME (RFC 7252 section 4.8.2).
    /// </param>
    /// <param name="table">
    /// The name of the table: letters, digits and underscores, not a digit first, optionally after the name of a schema and a dot; at most
    /// 63 characters each.
    /// </param>
    /// <param name="timeProvider">The clock; null for the system clock. Clocks of nodes must differ by much less than the lifetime.</param>
    /// <exception cref="ArgumentException">The name of the table is invalid.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The lifetime is out of its range.</exception>
    public CoapExactlyOnce(TimeSpan? lifetime = null, string table = "coap_once", TimeProvider? timeProvider = null)
    {
        _table = table is not null && TableName().IsMatch(table)
            ? table
            : throw new ArgumentException(
                $"'{table}' is not a valid table name for CoapExactlyOnce. Use letters, digits and underscores.", nameof(table));
        _lifetime = lifetime ?? s_lifetime;
        ArgumentOutOfRangeException.ThrowIfLessThan(_lifetime, s_leastLifetime, nameof(lifetime));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(_lifetime, s_longestLifetime, nameof(lifetime));
        _time = timeProvider ?? TimeProvider.System;
    }

    private long Now => _time.GetUtcNow().ToUnixTimeMilliseconds();

    /// <summary>Creates the table if it does not exist.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the table exists.</returns>
    /// <exception cref="DbException">The database failed, or its user may not create tables.</exception>
    public async Task CreateTableAsync(DbConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        await RunAsync(connection, null,
            $"create table if not exists {_table} (request varchar(64) primary key, made bigint not null, answer text)", cancellationToken)
            .ConfigureAwait(false);
    }

    /// <summary>
    /// Checks whether a request was executed, and records in the transaction that it is executed now. If another node is executing the same
    /// request at this moment, the database waits for its transaction.
    /// </summary>
    /// <param name="transaction">The transaction in which the application executes the request. On PostgreSQL a transaction above READ
    /// COMMITTED may fail with a serialization error (SQLSTATE 40001): roll back and begin again.</param>
    /// <param name="request">The request, as its handler received it.</param>
    /// <param name="client">Identifies the client, the same after a crash and on each node. Null for the session of the client if it is
    /// kept (<see cref="CoapPeer.DurableId"/>), otherwise its address.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether the request is new, and otherwise its answer.</returns>
    /// <exception cref="ArgumentException">The transaction has ended.</exception>
    /// <exception cref="DbException">The database failed; roll back.</exception>
    /// <exception cref="CoapClusterStoreException">The request was executed, but its answer is not readable: another version of the
    /// library wrote it. Roll back.</exception>
    public async Task<CoapExactlyOnceRequest> TryBeginAsync(
        DbTransaction transaction, CoapRequestContext request, string? client = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        ArgumentNullException.ThrowIfNull(request);
        DbConnection connection = transaction.Connection
            ?? throw new ArgumentException("The transaction has ended. Begin one for the request.", nameof(transaction));
        string name = NameOf(request.Message, client ?? ClientOf(request.Peer));
        int taken = await RunAsync(connection, transaction,
            $"insert into {_table} (request, made, answer) values (@request, @made, null) "
                + $"on conflict (request) do update set made = excluded.made, answer = null where {_table}.made < @oldest",
            cancellationToken, ("@request", name), ("@made", Now), ("@oldest", Now - (long)_lifetime.TotalMilliseconds))
            .ConfigureAwait(false);
        if (taken > 0)
        {
            return new CoapExactlyOnceRequest(this, transaction, name, isFirst: true, null);
        }

        await using DbCommand command = Command(connection, transaction, $"select answer from {_table} where request = @request",
            ("@request", name));
        string? kept = await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) as string;
        return new CoapExactlyOnceRequest(this, transaction, name, isFirst: false, kept is null ? null : Read(kept));
    }

    /// <summary>Deletes requests that are too old to be retransmitted. Call it every few minutes, on one node or on all.</summary>
    /// <param name="connection">An open connection without a transaction.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The number of removed requests.</returns>
    /// <exception cref="DbException">The database failed.</exception>
    public Task<int> RemoveOldAsync(DbConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return RunAsync(connection, null, $"delete from {_table} where made < @oldest", cancellationToken,
            ("@oldest", Now - (long)_lifetime.TotalMilliseconds));
    }

    internal Task<int> StoreAnswerAsync(DbTransaction transaction, string request, byte[] answer, CancellationToken cancellationToken) =>
        RunAsync(
            transaction.Connection ?? throw new InvalidOperationException("The transaction has ended. Complete before you commit."),
            transaction, $"update {_table} set answer = @answer where request = @request", cancellationToken,
            ("@answer", Convert.ToBase64String(answer)), ("@request", request));

    // A request with an unreadable answer must not run again.
    private static CoapResult Read(string answer)
    {
        try
        {
            return CoapResults.Response(CoapDatagramSerializer.Default.Deserialize(Convert.FromBase64String(answer)));
        }
        catch (Exception exception) when (exception is FormatException or CoapException)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                "The request was executed before, but this version of the library cannot read its answer, which another version wrote. "
                + "Update this node. The request is not executed again.", exception);
        }
    }

    // A device that restarts begins a new session, perhaps with the same numbers: it then counts as another client.
    private static string ClientOf(CoapPeer peer) =>
        peer.DurableId is { IsEmpty: false } session ? $"session {Convert.ToHexString(session.Span)}" : $"{peer}";

    private static string NameOf(CoapMessage message, string client)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Append(hash, Encoding.UTF8.GetBytes(client));
        Append(hash, message.Token.ToArray());
        Append(hash, [(byte)(message.MessageId >> 8), (byte)message.MessageId, message.Code.Value]);
        Span<byte> number = stackalloc byte[sizeof(int)];
        for (int i = 0; i < message.Options.Count; i++)
        {
            BinaryPrimitives.WriteInt32BigEndian(number, message.Options.NumberAt(i));
            hash.AppendData(number);
            Append(hash, message.Options.ValueAt(i));
        }

        // No option has this number.
        hash.AppendData([0xff, 0xff, 0xff, 0xff]);
        Append(hash, message.Payload.Span);
        return Convert.ToHexStringLower(hash.GetHashAndReset());
    }

    private static void Append(IncrementalHash hash, ReadOnlySpan<byte> part)
    {
        Span<byte> length = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(length, part.Length);
        hash.AppendData(length);
        hash.AppendData(part);
    }

    private static async Task<int> RunAsync(DbConnection connection, DbTransaction? transaction, string sql,
        CancellationToken cancellationToken, params (string Name, object Value)[] parameters)
    {
        await using DbCommand command = Command(connection, transaction, sql, parameters);
        return await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
    }

#pragma warning disable CA2100 // the text contains nothing of a request, and the table name is validated
    private static DbCommand Command(DbConnection connection, DbTransaction? transaction, string sql,
        params (string Name, object Value)[] parameters)
    {
        DbCommand command = connection.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = sql;
        foreach ((string name, object value) in parameters)
        {
            DbParameter parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = (name, value);
            command.Parameters.Add(parameter);
        }

        return command;
    }
#pragma warning restore CA2100

    [GeneratedRegex(@"\A([A-Za-z_][A-Za-z0-9_]{0,62}\.)?[A-Za-z_][A-Za-z0-9_]{0,62}\z", RegexOptions.CultureInvariant)]
    private static partial Regex TableName();
}

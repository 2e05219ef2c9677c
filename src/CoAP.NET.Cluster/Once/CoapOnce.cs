using System.Buffers.Binary;
using System.Data.Common;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>
/// Has a request done exactly once, though its client sends copies of it and the process dies in between: what the request changes, that it
/// was done, and its answer are committed in one transaction of the application's own database. Works with SQLite (3.24 and later) and
/// PostgreSQL, by their ADO.NET providers. Thread-safe.
/// </summary>
/// <remarks>
/// A copy is a message of the same client with the same Message ID, token, code, options and payload (RFC 7252 section 4.5): what a client
/// sends again because no answer came. Within a process the endpoint knows copies by itself; this is for those that come after a crash, or
/// to another node. A client that gives up and asks anew sends another request, and one whose body comes in blocks begins anew after a
/// crash: for these the application needs a number of its own in the request. Requests on TCP, TLS and WebSockets have no copies.
/// </remarks>
public sealed partial class CoapOnce
{
    private static readonly TimeSpan s_leastLifetime = TimeSpan.FromSeconds(93);
    private static readonly TimeSpan s_longestLifetime = TimeSpan.FromDays(1);

    private readonly string _table;
    private readonly TimeSpan _lifetime;
    private readonly TimeProvider _time;

    /// <summary>Makes one.</summary>
    /// <param name="options">Table and lifetime; they are copied. Null for the defaults.</param>
    /// <param name="timeProvider">The clock; null for the system's. Clocks of nodes may differ by far less than the lifetime.</param>
    /// <exception cref="ArgumentException">The table has a name that is none.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The lifetime is out of its range.</exception>
    public CoapOnce(CoapOnceOptions? options = null, TimeProvider? timeProvider = null)
    {
        options ??= new CoapOnceOptions();
        _table = options.Table is { } table && TableName().IsMatch(table)
            ? table
            : throw new ArgumentException($"'{options.Table}' is no name of a table for CoapOnce: letters, digits and underscores.",
                nameof(options));
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Lifetime, s_leastLifetime, nameof(options));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.Lifetime, s_longestLifetime, nameof(options));
        _lifetime = options.Lifetime;
        _time = timeProvider ?? TimeProvider.System;
    }

    private long Now => _time.GetUtcNow().ToUnixTimeMilliseconds();

    /// <summary>Makes the table, unless it is there.</summary>
    /// <param name="connection">A connection that is open.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that ends then.</returns>
    /// <exception cref="DbException">The database failed, or its user may not make tables.</exception>
    public async Task CreateTableAsync(DbConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        await RunAsync(connection, null,
            $"create table if not exists {_table} (request varchar(64) primary key, made bigint not null, answer text)", cancellationToken)
            .ConfigureAwait(false);
    }

    /// <summary>
    /// Looks whether a request was done, and notes in the transaction that it is done now. A copy that is being done by another node at
    /// this moment is waited for, as the database does.
    /// </summary>
    /// <param name="transaction">The transaction in which the application does the request. On PostgreSQL a transaction above READ
    /// COMMITTED may fail with a serialization error (SQLSTATE 40001): roll back and begin again.</param>
    /// <param name="request">The request, as its handler has it.</param>
    /// <param name="client">Tells the client from all others, the same after a crash and on each node. Null: the session of the client,
    /// where that is kept (<see cref="CoapPeer.DurableId"/>), or else its address.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Whether it is the first, and otherwise what was answered.</returns>
    /// <exception cref="DbException">The database failed; roll back.</exception>
    public async Task<CoapOnceRun> TryBeginAsync(
        DbTransaction transaction, CoapRequest request, string? client = null, CancellationToken cancellationToken = default)
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
            return new CoapOnceRun(this, transaction, name, isFirst: true, null);
        }

        await using DbCommand command = Command(connection, transaction, $"select answer from {_table} where request = @request",
            ("@request", name));
        string? kept = await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) as string;
        return new CoapOnceRun(this, transaction, name, isFirst: false, kept is null ? null : CoapResult.FromMessage(
            CoapDatagramSerializer.Default.Deserialize(Convert.FromBase64String(kept))));
    }

    /// <summary>Removes requests that are too old to have copies. To be called now and then, by any node.</summary>
    /// <param name="connection">A connection that is open and has no transaction.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>How many were removed.</returns>
    /// <exception cref="DbException">The database failed.</exception>
    public Task<int> RemoveOldAsync(DbConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return RunAsync(connection, null, $"delete from {_table} where made < @oldest", cancellationToken,
            ("@oldest", Now - (long)_lifetime.TotalMilliseconds));
    }

    internal Task<int> KeepAnswerAsync(DbTransaction transaction, string request, byte[] answer, CancellationToken cancellationToken) =>
        RunAsync(
            transaction.Connection ?? throw new InvalidOperationException("The transaction has ended. Complete before you commit."),
            transaction, $"update {_table} set answer = @answer where request = @request", cancellationToken,
            ("@answer", Convert.ToBase64String(answer)), ("@request", request));

    // A device that restarts begins a new session, and may begin with the same numbers: then it is another client.
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

#pragma warning disable CA2100 // nothing of a request stands in the text, and the name of the table is checked
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

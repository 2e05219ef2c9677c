using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using Microsoft.Data.Sqlite;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>
/// The open file. Used by one thread at a time (<see cref="SqliteWorkQueue"/>). It opens on first use, closes after a fault, and opens
/// again with the next call, so that a returning disk needs no operator. It creates the file at most once, and never uses another one after
/// that: message numbers would begin again.
/// </summary>
internal sealed class SqliteFile(CoapSqliteClusterOptions options, CoapClusterMapFeed feed) : IDisposable
{
    // A copy that was made less than this before a crash, and put back after it, is not noticed.
    private static readonly TimeSpan s_turnPeriod = TimeSpan.FromMinutes(1);

    private readonly SqliteMark _mark = new(options.Path);
    private readonly SqliteOpener _opening = new(options, new SqliteMark(options.Path));
    private readonly TimeProvider _time = options.TimeProvider!;
    private readonly CoapSlotOwner[] _owners = new CoapSlotOwner[CoapSlot.Count];
    private SqliteConnection? _connection;
    private SqliteStatements? _statements;
    private CoapClusterNode? _self;
    private long _version;
    private long _turn;
    private long _turnedAt;
    private Guid? _id;

    /// <summary>Runs a callback with the open file.</summary>
    /// <exception cref="CoapClusterStoreException">The file cannot be opened, read or written.</exception>
    public T Do<T>(Func<SqliteFile, T> work)
    {
        try
        {
            Understand(() =>
            {
                Open();
                return true;
            });
            CheckPresence();
            return work(this);
        }
        catch (SqliteException exception)
        {
            if (exception.SqliteErrorCode != SqliteFaults.Full)
            {
                Close();
            }

            throw SqliteFaults.Of(options.Path, exception);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            Close();
            throw SqliteFaults.OfMark(_mark.Path, exception);
        }
        catch (CoapClusterStoreException)
        {
            // The connection of a missing file stays open, because only SQLite knows which file that was. The store continues when this one
            // is back, and with no other one.
            if (_connection is not null && SqliteFileLossDetector.FindLoss(_connection, options.Path) is null)
            {
                Close();
            }

            throw;
        }
    }

    public CoapClusterSlotMap Join(CoapClusterNode self)
    {
        NodeLeaseRules.CheckSame(_self?.Id ?? default, self.Id);
        _self = self;
        return Show();
    }

    public CoapClusterSlotMap Show()
    {
        CoapClusterSlotMap map = new(_version, _self is null ? [] : [_self], _owners);
        feed.Publish(map);
        return map;
    }

    public bool TryChange(CoapClusterSlotMap wanted)
    {
        if (wanted.Version != _version + 1)
        {
            return false;
        }

        using (SqliteTransaction transaction = _connection!.BeginTransaction(deferred: false))
        {
            _statements!.SetVersion(transaction, wanted.Version);
            foreach (CoapSlot slot in wanted.Changed)
            {
                _statements.SetOwner(transaction, slot, wanted[slot]);
            }

            Commit(transaction);
        }

        _version = wanted.Version;
        foreach (CoapSlot slot in wanted.Changed)
        {
            _owners[slot.Number] = wanted[slot];
        }

        Show();
        return true;
    }

    public CoapWriteResult[] Write(IReadOnlyList<ReadOnlyMemory<CoapRecordWrite>> batches)
    {
        // No other process changes owners while this one has the file open; the owners are therefore known.
        CoapFencingToken[] newest = [.. _owners.Select(static owner => owner.Fence)];
        CoapWriteResult[] results = new CoapWriteResult[batches.Count];
        long now = _time.GetUtcNow().ToUnixTimeMilliseconds();
        using SqliteTransaction transaction = _connection!.BeginTransaction(deferred: false);
        for (int i = 0; i < results.Length; i++)
        {
            ReadOnlySpan<CoapRecordWrite> batch = batches[i].Span;
            results[i] = CoapWriteResult.ByFences(batch, newest);
            for (int j = 0; j < batch.Length; j++)
            {
                if (results[i][j] == CoapWriteOutcome.Written)
                {
                    _statements!.Write(transaction, batch[j], now);
                }
            }
        }

        bool isTurn = _time.GetElapsedTime(_turnedAt) >= s_turnPeriod;
        if (isTurn)
        {
            _statements!.SetTurn(transaction, _turn + 1);
        }

        Commit(transaction);
        if (isTurn)
        {
            Remember();
        }

        return results;
    }

    public IReadOnlyList<CoapRecord> Read(CoapRecordKind kind, CoapSlot slot, byte[] after, int count) =>
        Understand(() => _statements!.Read(kind, slot, after, count, _time.GetUtcNow().ToUnixTimeMilliseconds()));

    public CoapRecord? Find(CoapRecordKey key) =>
        Understand(() => _statements!.Find(key, _time.GetUtcNow().ToUnixTimeMilliseconds()));

    public int RemoveExpired(int count) => _statements!.RemoveExpired(count, _time.GetUtcNow().ToUnixTimeMilliseconds());

    public void Dispose()
    {
        try
        {
            if (_connection is not null && SqliteFileLossDetector.FindLoss(_connection, options.Path) is null)
            {
                // A copy that was made before this moment is older.
                Turn();
            }
        }
        catch (Exception exception) when (exception is SqliteException or IOException or UnauthorizedAccessException)
        {
            // The last turn remains.
        }

        try
        {
            Close();
        }
        catch (SqliteException)
        {
            // Confirmed changes are on the disk; the next process that opens the file applies the log.
        }
    }

    // Checked again after the flush: what is confirmed is in the file at the path.
    private void Commit(SqliteTransaction transaction)
    {
        transaction.Commit();
        CheckPresence();
    }

    private void CheckPresence()
    {
        if (SqliteFileLossDetector.FindLoss(_connection!, options.Path) is { } loss)
        {
            throw loss;
        }
    }

    // A damaged file may have values that SQLite accepts, and that this store never wrote.
    private T Understand<T>(Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception exception) when (exception is OverflowException or ArgumentException or IndexOutOfRangeException
            or FormatException or InvalidCastException)
        {
            throw SqliteFaults.Of(options.Path, SqliteFaults.Corrupt, exception.Message, exception);
        }
    }

    private void Open()
    {
        if (_connection is not null)
        {
            return;
        }

        SqliteConnection connection = _opening.Open(mayCreate: _id is null);
        try
        {
            SqliteStatements statements = new(connection);
            Guid id = SqliteSchema.IdOf(connection);
            long version = SqliteSchema.Counter(SqliteSchema.Number(connection, "select version from map"));
            if (version < _version || (_id is { } before && before != id))
            {
                throw SqliteFaults.Replaced(options.Path);
            }

            long turn = SqliteSchema.Counter(SqliteSchema.Number(connection, "select turn from store"));
            _mark.Check(id, turn);
            Array.Clear(_owners);
            statements.ReadOwners(_owners);
            _version = version;
            _turn = turn;
            _id = id;
            _connection = connection;
            _statements = statements;
        }
        finally
        {
            if (_connection is null)
            {
                connection.Dispose();
            }
        }

        Turn();
    }

    // The store first: a crash between leaves a mark that is not ahead of it.
    private void Turn()
    {
        _statements!.SetTurn(null, _turn + 1);
        Remember();
    }

    private void Remember()
    {
        _turn++;
        _turnedAt = _time.GetTimestamp();
        _mark.Write(_id!.Value, _turn);
    }

    private void Close()
    {
        _statements?.Dispose();
        _statements = null;
        SqliteConnection? connection = _connection;
        _connection = null;
        connection?.Dispose();
    }
}

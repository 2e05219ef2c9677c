using System.Buffers.Binary;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using Microsoft.Data.Sqlite;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>The prepared statements of one connection to the file of a store. Not thread-safe.</summary>
internal sealed class SqliteStatements : IDisposable
{
    private const long Never = long.MaxValue;

    // In the state of an OSCORE context; see CoapRecordKind.OscoreContext.
    private const int BoundOffset = sizeof(long);

    private readonly SqliteConnection _connection;
    private readonly List<SqliteCommand> _commands = [];
    private readonly SqliteCommand _put;
    private readonly SqliteCommand _remove;
    private readonly SqliteCommand _read;
    private readonly SqliteCommand _find;
    private readonly SqliteCommand _putOscore;
    private readonly SqliteCommand _removeOscore;
    private readonly SqliteCommand _readOscore;
    private readonly SqliteCommand _findOscore;
    private readonly SqliteCommand _removeExpired;
    private readonly SqliteCommand _setOwner;
    private readonly SqliteCommand _setVersion;
    private readonly SqliteCommand _setTurn;

    public SqliteStatements(SqliteConnection connection)
    {
        _connection = connection;
        _put = Prepare(
            "insert or replace into records (kind, slot, key, fence, state, expires) values ($kind, $slot, $key, $fence, $state, $expires)",
            "$kind", "$slot", "$key", "$fence", "$state", "$expires");
        _remove = Prepare("delete from records where kind = $kind and slot = $slot and key = $key", "$kind", "$slot", "$key");
        _read = Prepare(
            "select key, fence, state, expires from records where kind = $kind and slot = $slot and key > $after and expires > $now "
            + "order by key limit $count", "$kind", "$slot", "$after", "$now", "$count");
        _find = Prepare(
            "select fence, state, expires from records where kind = $kind and slot = $slot and key = $key and expires > $now",
            "$kind", "$slot", "$key", "$now");
        _putOscore = Prepare(
            "insert or replace into oscore (slot, key, fence, epoch, bound, received) "
            + "values ($slot, $key, $fence, $epoch, $bound, $received)",
            "$slot", "$key", "$fence", "$epoch", "$bound", "$received");
        _removeOscore = Prepare("delete from oscore where slot = $slot and key = $key", "$slot", "$key");
        _readOscore = Prepare(
            "select key, fence, epoch, bound, received from oscore where slot = $slot and key > $after order by key limit $count",
            "$slot", "$after", "$count");
        _findOscore = Prepare(
            "select key, fence, epoch, bound, received from oscore where slot = $slot and key = $key", "$slot", "$key");
        _removeExpired = Prepare(
            "delete from records where (kind, slot, key) in (select kind, slot, key from records where expires <= $now limit $count)",
            "$now", "$count");
        _setOwner = Prepare("insert or replace into slots (slot, node, fence) values ($slot, $node, $fence)", "$slot", "$node", "$fence");
        _setVersion = Prepare("update map set version = $version", "$version");
        _setTurn = Prepare("update store set turn = $turn", "$turn");
    }

    public void Write(SqliteTransaction transaction, in CoapRecordWrite change, long now)
    {
        long slot = change.Key.Slot.Number;
        byte[] key = change.Key.Bytes.ToArray();
        bool isOscore = change.Key.Kind == CoapRecordKind.OscoreContext;
        SqliteCommand command;
        if (change.IsRemoval)
        {
            command = isOscore ? Set(_removeOscore, slot, key) : Set(_remove, (long)change.Key.Kind, slot, key);
        }
        else if (isOscore)
        {
            ReadOnlySpan<byte> state = change.State.Span;
            command = Set(_putOscore, slot, key, change.Fence.Value, BinaryPrimitives.ReadInt64BigEndian(state),
                BinaryPrimitives.ReadInt64BigEndian(state[BoundOffset..]), state[RecordBatchValidator.MinOscoreLength..].ToArray());
        }
        else
        {
            command = Set(_put, (long)change.Key.Kind, slot, key, change.Fence.Value, change.State.ToArray(),
                change.Lifetime == Timeout.InfiniteTimeSpan
                    ? Never
                    : checked(now + (long)Math.Ceiling(change.Lifetime.TotalMilliseconds)));
        }

        command.Transaction = transaction;
        command.ExecuteNonQuery();
    }

    public List<CoapRecord> Read(CoapRecordKind kind, CoapSlot slot, byte[] after, int count, long now)
    {
        if (kind == CoapRecordKind.OscoreContext)
        {
            return ReadOscore(Set(_readOscore, (long)slot.Number, after, count), slot);
        }

        Set(_read, (long)kind, (long)slot.Number, after, now, count);
        List<CoapRecord> records = [];
        using SqliteDataReader reader = _read.ExecuteReader();
        while (reader.Read())
        {
            records.Add(new CoapRecord(new CoapRecordKey(kind, slot, reader.GetFieldValue<byte[]>(0)), Fence(reader, 1),
                reader.GetFieldValue<byte[]>(2), Left(reader.GetInt64(3), now)));
        }

        return records;
    }

    public CoapRecord? Find(CoapRecordKey key, long now)
    {
        if (key.Kind == CoapRecordKind.OscoreContext)
        {
            return ReadOscore(Set(_findOscore, (long)key.Slot.Number, key.Bytes.ToArray()), key.Slot).SingleOrDefault();
        }

        Set(_find, (long)key.Kind, (long)key.Slot.Number, key.Bytes.ToArray(), now);
        using SqliteDataReader reader = _find.ExecuteReader();
        return reader.Read()
            ? new CoapRecord(key, Fence(reader, 0), reader.GetFieldValue<byte[]>(1), Left(reader.GetInt64(2), now))
            : null;
    }

    public int RemoveExpired(int count, long now)
    {
        Set(_removeExpired, now, count);
        return _removeExpired.ExecuteNonQuery();
    }

    public void SetOwner(SqliteTransaction transaction, CoapSlot slot, CoapSlotOwner owner)
    {
        Set(_setOwner, (long)slot.Number, owner.Node.Value.ToByteArray(), owner.Fence.Value);
        _setOwner.Transaction = transaction;
        _setOwner.ExecuteNonQuery();
    }

    public void SetVersion(SqliteTransaction transaction, long version)
    {
        Set(_setVersion, version);
        _setVersion.Transaction = transaction;
        _setVersion.ExecuteNonQuery();
    }

    /// <summary>
    /// Stores the turn: a number that increases with each start, each orderly end and each minute of writes (<see cref="SqliteMark"/>).
    /// </summary>
    public void SetTurn(SqliteTransaction? transaction, long turn)
    {
        Set(_setTurn, turn);
        _setTurn.Transaction = transaction;
        _setTurn.ExecuteNonQuery();
    }

    public void ReadOwners(CoapSlotOwner[] owners)
    {
        using SqliteCommand command = _connection.CreateCommand();
        command.CommandText = "select slot, node, fence from slots";
        using SqliteDataReader reader = command.ExecuteReader();
        while (reader.Read())
        {
            owners[reader.GetByte(0)] = new CoapSlotOwner(new CoapNodeId(new Guid(reader.GetFieldValue<byte[]>(1))),
                Fence(reader, 2));
        }
    }

    public void Dispose()
    {
        foreach (SqliteCommand command in _commands)
        {
            command.Dispose();
        }
    }

    private static List<CoapRecord> ReadOscore(SqliteCommand command, CoapSlot slot)
    {
        List<CoapRecord> records = [];
        using SqliteDataReader reader = command.ExecuteReader();
        while (reader.Read())
        {
            byte[] state = [.. new byte[RecordBatchValidator.MinOscoreLength], .. reader.GetFieldValue<byte[]>(4)];
            BinaryPrimitives.WriteInt64BigEndian(state, reader.GetInt64(2));
            BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(BoundOffset), reader.GetInt64(3));
            records.Add(new CoapRecord(new CoapRecordKey(CoapRecordKind.OscoreContext, slot, reader.GetFieldValue<byte[]>(0)),
                Fence(reader, 1), state, Timeout.InfiniteTimeSpan));
        }

        return records;
    }

    private static TimeSpan Left(long expires, long now) =>
        expires == Never ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(expires - now);

    private static SqliteCommand Set(SqliteCommand command, params ReadOnlySpan<object> values)
    {
        // A command keeps its completed transaction.
        command.Transaction = null;
        for (int i = 0; i < values.Length; i++)
        {
            command.Parameters[i].Value = values[i];
        }

        return command;
    }

    private SqliteCommand Prepare(string sql, params ReadOnlySpan<string> parameters)
    {
        SqliteCommand command = _connection.CreateCommand();
        _commands.Add(command);
#pragma warning disable CA2100 // only texts of this assembly
        command.CommandText = sql;
#pragma warning restore CA2100
        foreach (string name in parameters)
        {
            command.Parameters.Add(new SqliteParameter { ParameterName = name });
        }

        command.Prepare();
        return command;
    }

    private static CoapFencingToken Fence(SqliteDataReader reader, int column) => new(SqliteSchema.Counter(reader.GetInt64(column)));
}

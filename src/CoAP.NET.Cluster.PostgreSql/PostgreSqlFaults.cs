using System.Net.Sockets;
using CoAP.NET.Cluster.Stores;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Translates errors of PostgreSQL and Npgsql to store faults (postgresql.org/docs/current/errcodes-appendix.html).</summary>
internal static class PostgreSqlFaults
{
    private const string UndefinedTable = PostgresErrorCodes.UndefinedTable;
    private const string NoSchema = PostgresErrorCodes.InvalidSchemaName;

    // A server in recovery refuses to return its position in the log, and to write.
    private const string InRecovery = PostgresErrorCodes.ObjectNotInPrerequisiteState;
    private const string ReadOnly = PostgresErrorCodes.ReadOnlySqlTransaction;

    /// <summary>Whether the database caused an exception, and not a defect of this library.</summary>
    public static bool IsFault(Exception exception) =>
        exception is NpgsqlException or TimeoutException or SocketException or IOException;

    /// <summary>
    /// Whether the connection is lost, as after a restart of the database, or reaches a standby, so that a new one may work.
    /// </summary>
    public static bool IsLostConnection(Exception exception) =>
        exception is PostgresException { SqlState: ['5', '7', 'P', ..] or InRecovery or ReadOnly } or SocketException or IOException
        || (exception is NpgsqlException and not PostgresException && exception.InnerException is not TimeoutException);

    /// <summary>Creates the error of a pooler that gives the commands of a connection to several sessions of the server.</summary>
    /// <param name="inner">The error of the server; null if the store noticed it by itself.</param>
    public static CoapClusterStoreException TransactionPooler(Exception? inner = null) => new(CoapClusterStoreFault.Incompatible,
        "A pooler in transaction mode, such as PgBouncer with pool_mode = transaction, is between this process and PostgreSQL. It takes "
        + "the settings, prepared statements and notifications of a connection away. Connect to PostgreSQL directly, or through a pooler "
        + "in session mode (pool_mode = session).", inner);

    /// <summary>Creates the error of a server that has taken over, or was restored, and whose loss no node has noted yet.</summary>
    public static CoapClusterStoreException NotNoted() => new(CoapClusterStoreFault.Unavailable,
        "This connection reaches a server that has taken over, or was restored, and that may lack confirmed writes. The nodes have not "
        + "noted that in its tables yet. The next call tries again. If this lasts, several servers accept writes: leave one of them.");

    /// <summary>Creates the error of a schema that is gone, although it was made once.</summary>
    /// <param name="schema">The schema.</param>
    /// <param name="mark">The schema that records it.</param>
    public static CoapClusterStoreException Gone(string schema, string mark) => new(CoapClusterStoreFault.Lost,
        $"The schema {schema} is missing, but {mark} records that there was one. {NewBeginning(schema, mark)}");

    public static CoapClusterStoreException Of(Exception exception)
    {
        string text = exception is PostgresException answer ? $"{answer.MessageText} ({answer.SqlState})" : exception.Message;
        return exception switch
        {
            PostgresException { SqlState: ['2', '8', ..] or "42501" } => new CoapClusterStoreException(CoapClusterStoreFault.Denied,
                $"PostgreSQL denies access to the server or its tables: {text}. Check user, password and permissions.", exception),
            PostgresException { SqlState: PostgresErrorCodes.DuplicatePreparedStatement or PostgresErrorCodes.InvalidSqlStatementName } =>
                TransactionPooler(exception),
            PostgresException { SqlState: InRecovery or ReadOnly } => new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                $"The server of PostgreSQL is a standby, which is neither read nor written: {text}. The next call tries again. Connect to "
                + "the primary; with several hosts set 'Target Session Attributes=primary'.", exception),
            PostgresException { SqlState: UndefinedTable or NoSchema } => new CoapClusterStoreException(
                CoapClusterStoreFault.Lost,
                $"The tables of the store are missing in PostgreSQL: {text}. Nothing is stored or confirmed any more. Restore them as they "
                + "were. If they are lost, follow 'The store is lost' in docs/cluster-deployment.md.", exception),
            PostgresException { SqlState: "53100" or "53400" } => new CoapClusterStoreException(CoapClusterStoreFault.Full,
                $"PostgreSQL has no room: {text}. Free some; until then nothing new is stored.", exception),
            PostgresException { SqlState: ['X', 'X', '0', '0', '1' or '2', ..] } => new CoapClusterStoreException(
                CoapClusterStoreFault.Corrupt, $"PostgreSQL reports damaged data: {text}.", exception),
            PostgresException { SqlState: "57014" or "55P03" } or TimeoutException
                or NpgsqlException { InnerException: TimeoutException } => new CoapClusterStoreException(CoapClusterStoreFault.TimedOut,
                    $"PostgreSQL did not answer in time (CommandTimeout): {text}. Check its load and the network.", exception),
            _ => new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                $"PostgreSQL is not available: {text}. The next call tries again.", exception),
        };
    }

    // The keys of OSCORE are elsewhere, and survive the tables.
    private static string NewBeginning(string schema, string mark) => "Restore it as it was. If it is lost: end all nodes, and give OSCORE "
        + "contexts new Master Secrets, because with the old ones their numbers would be used twice. Then confirm the loss by "
        + $"\"drop schema {mark}\". The next start creates {schema} again, and clients handshake and register again.";
}

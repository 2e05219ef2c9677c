namespace CoAP.NET.Survival.Stores;

/// <summary>Where nodes keep their state.</summary>
internal enum StoreKind
{
    /// <summary>In a file of SQLite, one node at a time.</summary>
    Sqlite,

    /// <summary>In a PostgreSQL.</summary>
    PostgreSql,

    /// <summary>In a PostgreSQL with a replica that confirms all writes.</summary>
    Synchronous,

    /// <summary>In a PostgreSQL with a replica that may lag behind.</summary>
    Asynchronous,
}

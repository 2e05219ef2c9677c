using System.Globalization;
using System.Text;
using CoAP.NET.Files;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>
/// A small file beside the store, which records the ID of the store and its turn, a number that increases. Without the store, with another
/// one, or with an older copy, the next start fails instead of beginning with a new store. An operator confirms a loss by removing this
/// file.
/// </summary>
/// <param name="storePath">The file of the store.</param>
internal sealed class SqliteMark(string storePath)
{
    private const int MaxLength = 4_096;

    public string Path { get; } = storePath + "-mark";

    public bool Exists => File.Exists(Path);

    /// <summary>Checks that a store is the recorded one, and not an older copy of it.</summary>
    /// <param name="id">The store.</param>
    /// <param name="turn">Its turn; see <see cref="Write"/>.</param>
    /// <exception cref="CoapClusterStoreException">It is another store, or an older copy.</exception>
    /// <exception cref="FormatException">The mark is damaged.</exception>
    public void Check(Guid id, long turn)
    {
        if (!Exists)
        {
            return;
        }

        using FileStream file = File.OpenRead(Path);
        byte[] bytes = new byte[Math.Min(file.Length, MaxLength)];
        file.ReadExactly(bytes);
        string[] words = Encoding.UTF8.GetString(bytes).Split((char[]?)null, 3, StringSplitOptions.RemoveEmptyEntries);
        if (words.Length < 2 || !Guid.TryParseExact(words[0], "N", out Guid recorded)
            || !long.TryParse(words[1], NumberStyles.None, CultureInfo.InvariantCulture, out long newest))
        {
            throw new FormatException($"{Path} does not begin with the id of a store and a number.");
        }

        if (recorded != id || newest > turn)
        {
            throw SqliteFaults.NotRecorded(storePath, Path);
        }
    }

    /// <summary>Records a store.</summary>
    /// <param name="id">The store.</param>
    /// <param name="turn">A number that the store has on the disk and increases with each start, with each orderly end, and once per
    /// minute of writes.</param>
    public void Write(Guid id, long turn) => DurableFile.Write(Path, Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"""
        {id:N} {turn}
        This file records that CoAP.NET keeps the state of a server in {System.IO.Path.GetFileName(storePath)} beside it.
        Keep it with that file. Remove it only to confirm that the state is lost: first move the rest of that file and its log away, and
        give OSCORE contexts new Master Secrets. The next start then begins with a new file.

        """)));
}

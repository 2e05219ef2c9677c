namespace CoAP.NET.ResourceDirectory;

/// <summary>Counts events of a directory. Thread-safe.</summary>
internal sealed class DirectoryCounts
{
    private readonly long[] _values = new long[Enum.GetValues<DirectoryCount>().Length];

    public void Add(DirectoryCount count, long by = 1) => Interlocked.Add(ref _values[(int)count], by);

    public long this[DirectoryCount count] => Interlocked.Read(ref _values[(int)count]);
}

namespace CoAP.NET.Hosting;

/// <summary>A file that is looked at again and again. For one caller at a time.</summary>
/// <param name="path">The file.</param>
/// <param name="stamp">How the file was, before it was read.</param>
internal sealed class ChangingFile(string path, FileStamp stamp)
{
    private FileStamp _taken = stamp;
    private FileStamp _seen = stamp;

    /// <summary>
    /// Whether it has changed and is to be read: true once for each change, when the file is still the same at the next look, as whoever
    /// writes may not be done.
    /// </summary>
    public bool Look()
    {
        FileStamp now = FileStamp.Of(path);
        if (now != _seen)
        {
            _seen = now;
            return false;
        }

        bool isNew = now != _taken;
        _taken = now;
        return isNew;
    }
}

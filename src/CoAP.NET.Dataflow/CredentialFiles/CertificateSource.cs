using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Files;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.CredentialFiles;

/// <summary>
/// The certificates and keys of an endpoint, read from files that may change while it runs. If a changed file has an error, the previous
/// contents stay. <see cref="Current"/> is thread-safe.
/// </summary>
[UnsupportedOSPlatform("browser")]
internal sealed class CertificateSource<T> : WatchedCredentials
    where T : class
{
    private readonly CertificatePaths _paths;
    private readonly Func<LoadedCertificates, T> _make;
    private readonly Func<object?, X509Certificate2?> _certificateOf;
    private readonly ChangingFile[] _files;
    private T _current;
    private CoapRevocationLists? _lists;
    private CoapRevocationLists? _toldLists;
    private bool _hasChanged;

    private CertificateSource(CertificatePaths paths, Func<LoadedCertificates, T> make, Func<object?, X509Certificate2?> certificateOf,
        ChangingFile[] files, LoadedCertificates contents, T current)
    {
        _paths = paths;
        _make = make;
        _certificateOf = certificateOf;
        _files = files;
        _lists = contents.RevocationLists;
        _current = current;
    }

    /// <summary>The contents that new handshakes use.</summary>
    public T Current => Volatile.Read(ref _current);

    /// <summary>Reads the files for the first time.</summary>
    /// <param name="paths">The files.</param>
    /// <param name="make">Makes what the endpoint uses of their contents.</param>
    /// <param name="certificateOf">
    /// Returns the certificate of an identity; null if the identity has none, or is of another transport with its own lists.
    /// </param>
    /// <param name="problem">The problem and its place; null for none. An earlier problem stays.</param>
    /// <returns>The source; null if there is a problem.</returns>
    public static CertificateSource<T>? Load(CertificatePaths paths, Func<LoadedCertificates, T> make,
        Func<object?, X509Certificate2?> certificateOf, ref string? problem)
    {
        ChangingFile[] files = [.. paths.All.Select(static path => new ChangingFile(path, FileStamp.Of(path)))];
        LoadedCertificates contents = paths.Read(ref problem);
        return Make(paths, make, contents, ref problem) is { } made
            ? new CertificateSource<T>(paths, make, certificateOf, files, contents, made)
            : null;
    }

    /// <inheritdoc/>
    public override ValueTask<bool> RefreshAsync(DateTimeOffset now) => new(Refresh(now));

    private bool Refresh(DateTimeOffset now)
    {
        // All files together, because a certificate and its key change one after the other.
        foreach (ChangingFile file in _files)
        {
            _hasChanged |= file.Look();
        }

        if (!_hasChanged || !_files.All(static file => file.IsSettled))
        {
            return false;
        }

        _hasChanged = false;
        string? problem = null;
        LoadedCertificates contents = _paths.Read(ref problem);
        if (problem is null && contents.Own?.Own is { } own && own.NotAfter < now)
        {
            problem = $"{_paths.Section}:Certificate = '{_paths.Certificate}': the certificate expired on "
                + $"{own.NotAfter.ToUniversalTime():u}.";
        }

        if (Make(_paths, _make, contents, ref problem) is not { } made)
        {
            throw new CoapException(problem!);
        }

        _lists = contents.RevocationLists;
        Volatile.Write(ref _current, made);
        return true;
    }

    /// <inheritdoc/>
    public override bool IsRevoked(CoapPeer peer) => _lists is { } lists && _certificateOf(peer.Identity) is { } certificate
        && lists.IsRevoked(certificate);

    /// <inheritdoc/>
    public override void LogTaken(ILogger logger, string title, int ended) =>
        CredentialLog.CertificatesTaken(logger, title, ConfigurationTextFormatter.Of(string.Join(", ", _paths.All)), _paths.Section, ended);

    /// <inheritdoc/>
    public override void LogNotTaken(ILogger logger, string title, string problem) =>
        CredentialLog.CertificatesNotTaken(logger, title, CoapUntrustedText.LineOf(problem));

    /// <inheritdoc/>
    public override void LogDue(ILogger logger, string title, DateTimeOffset now)
    {
        if (_lists is { NextUpdate: { } due } lists && due < now && !ReferenceEquals(lists, _toldLists))
        {
            _toldLists = lists;
            CredentialLog.RevocationListDue(logger, title, $"{_paths.Section}:Crl", ConfigurationTextFormatter.Of(_paths.Crl!), due);
        }
    }

    private static T? Make(CertificatePaths paths, Func<LoadedCertificates, T> make, LoadedCertificates contents, ref string? problem)
    {
        if (problem is not null)
        {
            return null;
        }

        try
        {
            return make(contents);
        }
        catch (Exception exception) when (exception is CryptographicException or ArgumentException or CoapException)
        {
            problem = $"{paths.Section}:Certificate = '{paths.Certificate}': {exception.Message}";
            return null;
        }
    }
}

using System.Diagnostics.Metrics;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Options of a directory.</summary>
/// <remarks>The constructor of <see cref="CoapDirectoryServer"/> reads them.</remarks>
[HasSettings]
public sealed partial class CoapDirectoryOptions
{
    /// <summary>The path of registrations: one or more segments, each with a leading slash. Default <c>/rd</c>.</summary>
    /// <remarks>Lookups are at <c>ep</c> and <c>res</c> below the same path with <c>-lookup</c>, such as <c>/rd-lookup/ep</c>.</remarks>
    public partial string Path { get; set; } = "/rd";

    /// <summary>The rights of clients without authentication. Default <see cref="CoapUnsecuredRegistrations.SameAddress"/>.</summary>
    public partial CoapUnsecuredRegistrations Unsecured { get; set; }

    /// <summary>
    /// Whether updates and removals without security must prove with an Echo that they are newer than the last change of the registration
    /// (RFC 9176 section 7.4, RFC 9175 section 2.3). Default true.
    /// </summary>
    /// <remarks>
    /// This prevents a late or repeated request from restoring a removed registration. Clients of this library answer the challenge
    /// automatically.
    /// </remarks>
    public partial bool RequireFreshness { get; set; } = true;

    /// <summary>
    /// Returns the name by which the directory remembers a client, in place of its pre-shared key, certificate, public key or OSCORE
    /// context. Default null.
    /// </summary>
    /// <remarks>
    /// The directory calls it for each request that registers or changes something; it must not block. If it returns null, the credential
    /// of the client counts.
    /// </remarks>
    public partial Func<CoapPeer, string?>? IdentityOf { get; set; }

    /// <summary>Returns the endpoint name that belongs to an authenticated client. Default null.</summary>
    /// <remarks>
    /// Such a client may omit <c>ep</c>, and no other name is accepted from it. If the callback returns null, the client may register any
    /// name, as a commissioning tool does. It must not block.
    /// </remarks>
    public partial Func<CoapPeer, string?>? EndpointNameOf { get; set; }

    /// <summary>Returns the sector for the registrations of a client, regardless of the requested one. Default null.</summary>
    /// <remarks>If it returns null, the requested sector applies. It must not block.</remarks>
    public partial Func<CoapPeer, string?>? SectorOf { get; set; }

    /// <summary>
    /// Whether endpoints may ask the directory to fetch their links (<c>/.well-known/rd</c>, RFC 9176 section 5.1). Default true.
    /// </summary>
    /// <remarks>The directory fetches only from endpoints that have proven that they receive at their address.</remarks>
    public partial bool AllowSimpleRegistration { get; set; } = true;

    /// <summary>How much the directory holds and answers.</summary>
    public CoapDirectoryLimits Limits { get; } = new();

    /// <summary>
    /// The clock. Default: that of the server, if a method maps the directory that it creates; otherwise the system clock.
    /// </summary>
    public partial TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The source of the hash key of the index.</summary>
    /// <remarks>
    /// An unpredictable key prevents attackers from choosing values with the same hash. Default: the source of the server, if a method maps
    /// the directory that it creates; otherwise the random numbers of the operating system.
    /// </remarks>
    internal CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>The logger factory; null, the default, disables logging.</summary>
    public partial ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>Creates the meter; null, the default, uses the meter of the process.</summary>
    public partial IMeterFactory? MeterFactory { get; set; }

    internal string LookupPath => Path + "-lookup";

    /// <summary>Returns a copy that has the clock and the random source of a server, unless it has its own.</summary>
    internal CoapDirectoryOptions Of(CoapRouteGroup routes)
    {
        CoapDirectoryOptions own = this.MakeReadOnlyFor("a directory").Copy();
        own.TimeProvider = TimeProvider == TimeProvider.System ? routes.TimeProvider ?? TimeProvider : TimeProvider;
        own.Random = Random == CoapRandomSource.Secure ? routes.Random ?? Random : Random;
        return own;
    }

    internal CoapDirectoryOptions Checked()
    {
        Limits.Check();
        return this.MakeReadOnlyFor("a directory");
    }

    /// <summary>Returns options that can be changed; their limits are the same.</summary>
    internal CoapDirectoryOptions Copy() => CopyMembers();
}

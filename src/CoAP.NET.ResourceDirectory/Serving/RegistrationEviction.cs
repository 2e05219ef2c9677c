using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Registrations;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>
/// Finds room for registrations. Expired ones go first; then the source with the most is evicted for sources with fewer, so that newcomers
/// find a place although a few sources fill the directory.
/// </summary>
/// <param name="core">The directory.</param>
/// <param name="logger">Logs when the directory is full.</param>
internal sealed class RegistrationEviction(DirectoryServerState core, ILogger logger)
{
    // The maximum number of evictions per request. Each is a question, perhaps to another node, and evicted registrations do not return
    // when they were not enough.
    private const int MostForgotten = 4;
    private const int MaxEvictions = 64;

    private static readonly TimeSpan s_whenFull = TimeSpan.FromMinutes(1);

    private readonly CoapDirectoryOptions _options = core.Options;
    private readonly DirectoryIndex _index = core.Index;
    private readonly RateLimitedLog _full = new(core.Options.TimeProvider);
    private readonly RateLimitedLog _gaveWay = new(core.Options.TimeProvider);

    /// <summary>Finds room for a registration.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="made">The registration.</param>
    /// <param name="isVerified">Whether the registrant has proven that it receives at its address.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response if there is no room; otherwise null.</returns>
    public async ValueTask<CoapResult?> AdmitAsync(CoapTableKey key, Registration made, bool isVerified,
        CancellationToken cancellationToken)
    {
        _index.EndLifetimes();
        Registration? current = _index.Find(key.Bytes);
        RequiredRoom need = new(current is null, made.Owner.SourceHash, CostOf(made), current is { } known ? CostOf(known) : 0);
        if (!HasRoom(need))
        {
            return RefuseForSource();
        }

        // Each forged address is a new source. It gets at most half of the room, and evicts no registration.
        if (!isVerified && !HasCapacity(need, 2))
        {
            core.Counts.Add(DirectoryCounterKind.Challenges);
            return CoapResults.FreshnessRequired();
        }

        for (int i = 0; i < MostForgotten && !HasCapacity(need) && _index.FindOldestEnded() is { } ended; i++)
        {
            (DirectoryDecision answer, _) = await core.AskAsync(
                new CoapTableKey(ended), DirectorySlotOwnerRequest.Operation.Forget, null, null, default,
                cancellationToken).ConfigureAwait(false);
            core.Counts.Add(DirectoryCounterKind.Forgotten, answer == DirectoryDecision.Done ? 1 : 0);
        }

        for (int i = 0; !HasCapacity(need); i++)
        {
            if (i == MaxEvictions || !await EvictAsync(need, cancellationToken).ConfigureAwait(false))
            {
                return Full();
            }
        }

        return null;
    }

    private async ValueTask<bool> EvictAsync(RequiredRoom need, CancellationToken cancellationToken)
    {
        if (_index.TakeForRoom(need.SourceHash, need.More) is not { } found)
        {
            return false;
        }

        byte[] key = new byte[DirectoryIndex.KeyLength];
        found.WriteKey(key);
        DirectoryOwner owner = found.Registration.Owner;
        (int Count, long Bytes) before = _index.Quota[owner.SourceHash];
        (DirectoryDecision answer, CoapResult? unavailable) = await core.AskAsync(
            new CoapTableKey(key), DirectorySlotOwnerRequest.Operation.Evict,
            new RegistrantIdentity(owner, true, [], 0), null, default, cancellationToken).ConfigureAwait(false);
        if (unavailable is not null || answer is not (DirectoryDecision.Done or DirectoryDecision.Missing))
        {
            _index.GiveBack(found);
            return false;
        }

        core.Counts.Add(DirectoryCounterKind.Evicted, answer == DirectoryDecision.Done ? 1 : 0);
        if (_gaveWay.IsDue())
        {
            DirectoryLog.Evicted(logger, before.Count + 1, before.Bytes, core.Counts[DirectoryCounterKind.Evicted]);
        }

        return true;
    }

    private int CostOf(Registration registration) => DirectoryIndex.CostOf(registration, core.CountTerms(registration));

    private bool HasCapacity(RequiredRoom need, int part = 1) =>
        (!need.IsNew || _index.Quota.Count < _options.Limits.MaxRegistrations / part)
        && (need.More <= 0 || _index.Quota.Bytes + need.More <= _options.Limits.MaxBytes / part);

    // A source may change its own registrations, and have its share, or more if another source loses some.
    private bool HasRoom(RequiredRoom need)
    {
        (int count, long bytes) = _index.Quota[need.SourceHash];
        long free = _options.Limits.MaxRegistrations - _index.Quota.Count;
        long freeBytes = _options.Limits.MaxBytes - _index.Quota.Bytes;
        return !need.IsNew || count == 0
            || (count < _options.Limits.MaxRegistrationsPerSource
                && ((FairShare.HasRoom(count + 1, free, _options.Limits.MaxRegistrations)
                        && FairShare.HasRoom(bytes + need.Cost, freeBytes, _options.Limits.MaxBytes, least: need.Cost))
                    || _index.Quota.IsOutdone(need.SourceHash, need.Cost)));
    }

    private CoapResult RefuseForSource()
    {
        core.Counts.Add(DirectoryCounterKind.SourceQuotaUsedUp);
        return CoapResults.Forbidden("You have reached the maximum number of registrations per client. Remove some, or let them expire.");
    }

    private CoapResult Full()
    {
        core.Counts.Add(DirectoryCounterKind.Full);
        if (_full.IsDue())
        {
            DirectoryLog.Full(logger, _index.Quota.Count, _index.Quota.Bytes);
        }

        return CoapResults.ServiceUnavailable(s_whenFull);
    }

    /// <summary>The needs of a registration.</summary>
    private readonly record struct RequiredRoom(bool IsNew, ulong SourceHash, long Cost, long Before)
    {
        public long More => Cost - Before;
    }
}

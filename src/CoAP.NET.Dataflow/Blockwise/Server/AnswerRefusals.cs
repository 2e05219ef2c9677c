using System.Globalization;
using CoAP.NET.Exchanges;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Tracks responses in memory that are too large to be stored for block-wise transfers. They are not sent, because a handler would run
/// again for each of their blocks. For a while, requests for later blocks are refused before the handler runs. Guarded by Shard.Gate,
/// except for the logging.
/// </summary>
internal sealed class AnswerRefusals(CoapShard shard)
{
    private const int Remembered = 64;

    private readonly CoapEnvironment _environment = shard.Environment;
    private readonly OccasionalLog _refused = new(shard.Environment.TimeProvider);
    private readonly OccasionalLog _neverFits = new(shard.Environment.TimeProvider);
    private readonly OccasionalLog _notKept = new(shard.Environment.TimeProvider);
    private readonly (BodyKey? Key, long Until, CoapResult? Answer)[] _recent = new (BodyKey?, long, CoapResult?)[Remembered];
    private int _next;

    /// <summary>Returns the refusal of a later block whose response recently found no room; null for any other.</summary>
    public CoapResult? Find(BodyKey key, CoapChannel channel, long now)
    {
        foreach ((BodyKey? known, long until, CoapResult? answer) in _recent)
        {
            if (now < until && key.Equals(known))
            {
                // A client that has verified its address since then may find room.
                return answer!.AsksForEcho && shard.Guard.IsTrusted(channel, now) ? null : answer;
            }
        }

        return null;
    }

    /// <summary>Creates the answer that goes out in place of one for which there is no room.</summary>
    /// <param name="key">The request, which is safe.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="size">The size of the answer in bytes.</param>
    /// <param name="budget">The bounds.</param>
    /// <param name="isPooled">Whether the peer takes of what those share whose addresses were never verified.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public CoapResult Refuse(BodyKey key, CoapChannel channel, long size, BodyBudget budget, bool isPooled, long now)
    {
        _environment.Counters.Add(CoapCounter.RepresentationsRefused);
        channel.NoteDrop(CoapCounter.RepresentationsRefused);

        // A client that proves that it receives at its address has its own share.
        CoapResult answer = isPooled ? CoapResults.FreshnessRequired()
            : NeverFits(size, budget) ? new CoapResult(CoapCode.InternalServerError)
            : CoapResults.ServiceUnavailable(TimeSpan.FromSeconds(_environment.Limits.BusyMaxAge));
        _recent[_next] = (key, now + TimeSpan.FromSeconds(_environment.Limits.BusyMaxAge).Ticks, answer);
        _next = (_next + 1) % Remembered;
        return answer;
    }

    /// <summary>Tells the log of a refusal, once in a while. No lock may be held.</summary>
    public void Tell(ILogger logger, CoapExchange exchange, BodyShortage shortage, long size, BodyBudget budget, bool isPooled)
    {
        if (!isPooled && NeverFits(size, budget))
        {
            if (_neverFits.IsDue())
            {
                BlockwiseLog.AnswerNeverFits(logger, exchange.Request.Path, size, BoundOf(BodyShortage.Share, budget));
            }
        }
        else if (_refused.IsDue())
        {
            string code = isPooled ? "4.01 with an Echo" : "5.03";
            BlockwiseLog.AnswerRefused(logger, exchange.Request.Path, size, exchange.Channel, code, BoundOf(shortage, budget));
        }
    }

    /// <summary>Tells the log that the later blocks of an answer will not be had, as its request may not be carried out again.</summary>
    public void TellNotKept(ILogger logger, CoapExchange exchange, BodyShortage shortage, long size, BodyBudget budget)
    {
        if (_notKept.IsDue())
        {
            BlockwiseLog.AnswerNotKept(logger, exchange.Request.Path, size, BoundOf(shortage, budget));
        }
    }

    private static bool NeverFits(long size, BodyBudget budget) => size + BodyTransfer.Overhead > budget.PeerMax;

    private static string BoundOf(BodyShortage shortage, BodyBudget budget) => shortage switch
    {
        BodyShortage.All =>
            Text($"{budget.Max} bytes for all peers together (CoapLimits.MaxRepresentationBytes), of which one source never takes more than it leaves free"),
        BodyShortage.Newcomers =>
            Text($"{budget.NewcomerMax} bytes for all newcomers together whose addresses were never verified (a quarter of CoapLimits.NewcomerBytes)"),
        BodyShortage.Unverified =>
            Text($"{budget.PeerMax} bytes for all peers together whose addresses were never verified (CoapLimits.PeerAssemblyShare of CoapLimits.MaxRepresentationBytes), of which one source never takes more than it leaves free"),
        _ => Text($"{budget.PeerMax} bytes for one source (CoapLimits.PeerAssemblyShare of CoapLimits.MaxRepresentationBytes)"),
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
